import StoreHelpers
import StoreProtocol

extension MemoryRows {
  /// Throws if another save changed a row first.
  ///
  /// - Throws: ``DataStoreError/conflict`` with the first row that has another version or was
  ///   deleted.
  package func check(_ expected: [PersistentIdentifier: Int64]) throws {
    for (identifier, version) in expected.sorted(by: { $0.key < $1.key }) {
      guard let row = self[identifier] else { throw DataStoreError.missingRow(identifier) }
      guard row.version != version else { continue }
      throw DataStoreError(
        .conflict,
        "another save changed the row \(identifier) first; fetch again",
        entity: identifier.entityName
      )
    }
  }
}
