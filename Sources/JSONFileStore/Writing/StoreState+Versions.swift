import StoreProtocol

extension StoreState {
  /// Compares the versions of rows with those that a save expects, and loads the rows that it needs.
  ///
  /// - Throws: `conflict` with the first row that has another version or was deleted.
  mutating func check(
    _ expected: [PersistentIdentifier: Int64],
    in map: TableMap,
    file: String
  ) throws {
    for (identifier, version) in expected.sorted(by: { $0.key < $1.key }) {
      let found = try find(identifier, in: map, file: file)
      if let found, tables[found.table].table?.rowVersion(found.slot) == version { continue }
      throw DataStoreError(
        .conflict,
        found == nil
          ? "the row \(identifier) is no longer in the store; fetch again"
          : "another save changed the row \(identifier) first; fetch again",
        entity: identifier.entityName,
        file: file
      )
    }
  }
}
