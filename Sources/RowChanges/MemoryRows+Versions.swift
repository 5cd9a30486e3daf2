import StoreProtocol

extension MemoryRows {
  /// Throws if another save changed a row first.
  ///
  /// - Throws: ``DataStoreError/conflict`` with the first row that has another version or was
  ///   deleted.
  package func check(_ expected: [PersistentIdentifier: Int64]) throws {
    for (identifier, version) in expected.sorted(by: { $0.key < $1.key }) {
      let row = self[identifier]
      guard row?.version != version else { continue }
      throw DataStoreError(
        .conflict,
        row == nil
          ? "the row \(identifier) no longer exists; fetch again"
          : "another save changed the row \(identifier) first; fetch again",
        entity: identifier.entityName
      )
    }
  }
}
