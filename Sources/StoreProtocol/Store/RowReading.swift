/// A store that reads one row without a query.
///
/// Programs ask for one object after the other by its identifier, and the query costs more than the
/// row then.
package protocol RowReading: RecordStore {
  /// Reads a row of an entity, or of one that inherits from it, where there is one: what
  /// ``RecordStore/read(_:_:)`` does for a query of ``StoreQuery/rows(_:of:)``, which is its test
  /// oracle.
  ///
  /// - Parameters:
  ///   - key: The key of the row.
  ///   - entity: The name of the entity.
  ///   - body: Takes the row; the reader is valid during the call only.
  /// - Throws: What the store and the body throw.
  func readRow(
    _ key: Int64,
    of entity: String,
    _ body: (PersistentIdentifier, RowReader) throws -> Void
  ) throws
}
