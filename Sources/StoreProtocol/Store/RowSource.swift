/// Reads rows of one entity, and of those that inherit from it, by their keys alone.
public protocol RowSource: AnyObject, Sendable {
  /// Reads a row, where there is one: what ``RecordStore/read(_:_:)`` does for a query of
  /// ``StoreQuery/rows(_:of:)``, which is its test oracle.
  ///
  /// - Parameters:
  ///   - key: The key of the row.
  ///   - body: Takes the row; the reader is valid during the call only.
  /// - Throws: What the store and the body throw.
  func readRow(_ key: Int64, _ body: (RowReader) throws -> Void) throws
}
