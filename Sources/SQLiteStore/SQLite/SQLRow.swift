import Foundation

/// Values that SQLite returns, by position: the columns of a row, or the arguments of a function.
protocol SQLRow {
  func storage(at index: Int) -> SQLStorage
  func integer(at index: Int) -> Int64
  func real(at index: Int) -> Double
  /// Returns a string, or `nil` if its bytes are not UTF-8.
  func text(at index: Int) -> String?
  /// Provides access to the bytes of a blob or string.
  func withBytes<Result>(
    at index: Int,
    _ body: (UnsafeRawBufferPointer) throws -> Result
  ) rethrows -> Result
}

extension Statement: SQLRow {}

extension SQLRow {
  func data(at index: Int) -> Data { withBytes(at: index) { Data($0) } }
}
