import StoreProtocol

/// Compares the versions of rows with those that a save expects.
struct VersionCheck {
  let map: TableMap
  let file: String

  /// Throws if another save came first, and loads the rows that it needs into the state.
  ///
  /// - Throws: `conflict` with the first row that has another version or was deleted.
  func check(_ expected: [PersistentIdentifier: Int64], _ state: inout StoreState) throws {
    for (identifier, version) in expected.sorted(by: { $0.key < $1.key }) {
      let found = try self.version(of: identifier, &state)
      guard found != version else { continue }
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

  private func version(
    of identifier: PersistentIdentifier,
    _ state: inout StoreState
  ) throws -> Int64? {
    guard let key = identifier.integerKey else { return nil }
    for index in try map.hierarchy(of: identifier.entityName) {
      try state.load(index, file: file)
      guard let table = state.tables[index].table else { continue }
      if let slot = table.slot(of: key) { return table.rowVersion(slot) }
    }
    return nil
  }
}
