import StoreHelpers
import StoreProtocol

extension ChangePlan {
  /// Throws if the batch would take related rows away from rows by relationships that it protects; the
  /// rows are still unchanged.
  ///
  /// - Throws: `conflict` with the rows.
  func checkReferences(_ changes: StoreChanges, _ state: inout StoreState) throws {
    guard let protection = ReferenceProtection(changes, map.schema) else { return }
    let losing = try losingRows(&state, trustsInverses: false) {
      protection.protects($1.name, of: $0.name)
    }
    var rows: [String: [PersistentIdentifier]] = [:]
    for (location, properties) in losing.sorted(by: { $0.key.key < $1.key.key }) {
      let row = PersistentIdentifier(scope: scopes[location.table], key: .integer(location.key))
      for property in properties {
        rows[map.schema.entities[location.table].properties[property].name, default: []].append(row)
      }
    }
    // One check examines the whole batch.
    for (name, rows) in rows.sorted(by: { $0.key < $1.key }) {
      try protection.check(rows, referringBy: name)
    }
    try protection.checkTargets { target in
      let isDeleted = target.integerKey.map(uniqueness.deleted.contains) ?? false
      return try !isDeleted && state.find(target, in: map, file: file) != nil
    }
  }
}
