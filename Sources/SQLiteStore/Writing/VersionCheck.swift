import SQLTranslation
import StoreProtocol

/// Compares the versions of rows with those that a save expects.
struct VersionCheck {
  let catalog: Catalog
  let connection: Connection

  /// Throws if another save came first.
  ///
  /// - Throws: ``DataStoreError/conflict`` with the first row that has another version or was
  ///   deleted.
  func check(_ expected: [PersistentIdentifier: Int64]) throws {
    if expected.isEmpty { return }
    let byTable = try Dictionary(grouping: expected.keys) { identifier in
      try catalog.map.entity(named: identifier.entityName).table.name
    }
    for (name, identifiers) in byTable.sorted(by: { $0.key < $1.key }) {
      guard let table = catalog.map.table(named: name) else { continue }
      let found = try versions(of: identifiers.compactMap(\.integerKey), in: table)
      for identifier in identifiers.sorted() {
        guard let version = identifier.integerKey.flatMap({ found[$0] }) else {
          throw Self.missing(identifier)
        }
        if version != expected[identifier] {
          throw DataStoreError(
            .conflict,
            "another save changed the object \(identifier) first; fetch again",
            entity: identifier.entityName
          )
        }
      }
    }
  }

  private func versions(of keys: [Int64], in table: TableMap) throws -> [Int64: Int64] {
    let sql = table.selectionByKeys("\(table.key), \(table.versionValue)")
    return try connection.withStatement(sql, .text(KeyList.encoded(keys))) {
      var found: [Int64: Int64] = [:]
      while try $0.step() { found[$0.integer(at: 0)] = $0.integer(at: 1) }
      return found
    }
  }

  /// Returns the error for a row that another save has deleted.
  static func missing(_ identifier: PersistentIdentifier) -> DataStoreError {
    DataStoreError(
      .conflict,
      "the object \(identifier) is no longer stored; fetch again",
      entity: identifier.entityName
    )
  }
}
