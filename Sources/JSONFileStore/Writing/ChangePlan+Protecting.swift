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

  /// Returns the rows of the batch that refer to rows that do not exist, which read as nil.
  ///
  /// - Throws: Errors of reading the document.
  func rowsWithoutTargets(_ state: inout StoreState) throws -> [PersistentIdentifier] {
    var found: Set<RowLocation> = []
    func note(_ cell: Cell, _ property: Int, _ location: RowLocation) throws {
      let keys: [Int64] =
        switch (map.types[location.table][property], cell) {
        case (.reference, .integer(let key)): [key]
        case (.references, .keys(let keys)): keys
        default: []
        }
      for key in keys where key < firstNewKey {
        let tables = map.destinations[location.table][property]
        for table in tables { try state.load(table, file: file) }
        if !tables.contains(where: { state.hasRow(key, in: $0) }) { found.insert(location) }
      }
    }
    for (table, rows) in inserted.enumerated() {
      guard let rows else { continue }
      for property in map.types[table].indices
      where [.reference, .references].contains(map.types[table][property]) {
        for slot in 0..<rows.slotCount {
          try note(
            rows.columns[property].cell(slot),
            property,
            RowLocation(table: table, key: rows.keys[slot])
          )
        }
      }
      for key in rows.keys where losing.contains(key) {
        found.insert(RowLocation(table: table, key: key))
      }
    }
    for row in updated {
      let location = RowLocation(table: row.table, key: row.key)
      if losing.contains(row.key) { found.insert(location) }
      for (property, cell) in zip(row.properties, row.cells) { try note(cell, property, location) }
    }
    return found.sorted { $0.key > $1.key }.map {
      PersistentIdentifier(scope: scopes[$0.table], key: .integer($0.key))
    }
  }
}
