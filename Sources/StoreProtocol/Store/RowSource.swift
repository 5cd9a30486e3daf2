/// Reads rows of one entity and its subentities by their keys alone.
public protocol RowSource: AnyObject, Sendable {
  /// Reads a row, if it exists, with the same result as ``RecordStore/read(_:_:)`` for a query of
  /// ``StoreQuery/rows(_:of:)``, which is its test oracle.
  ///
  /// - Parameters:
  ///   - key: The key of the row.
  ///   - body: A closure that receives the row; the reader is valid during the call only.
  /// - Throws: The errors of the store and of the closure.
  func readRow(_ key: Int64, _ body: (RowReader) throws -> Void) throws
}
