import CSQLite
import Foundation

/// Values out of the current row; columns are numbered from 0.
extension Statement: SQLRow {
  func storage(at column: Int) -> SQLStorage {
    SQLStorage(sqlite3_column_type(handle, Int32(column)))
  }

  func isNull(at column: Int) -> Bool {
    sqlite3_column_type(handle, Int32(column)) == SQLITE_NULL
  }

  func integer(at column: Int) -> Int64 {
    sqlite3_column_int64(handle, Int32(column))
  }

  func real(at column: Int) -> Double {
    sqlite3_column_double(handle, Int32(column))
  }

  /// The text of a column, all of it: a text may hold a null character.
  ///
  /// - Returns: Nothing when the bytes are not UTF-8, which only a damaged file or another
  ///   program can cause.
  func text(at column: Int) -> String? {
    guard let start = sqlite3_column_text(handle, Int32(column)) else { return "" }
    let count = Int(sqlite3_column_bytes(handle, Int32(column)))
    return String(exactly: UnsafeBufferPointer(start: start, count: count))
  }

  func data(at column: Int) -> Data {
    // The pointer comes first and the count second: the first may convert the value.
    guard let start = sqlite3_column_blob(handle, Int32(column)) else { return Data() }
    return Data(bytes: start, count: Int(sqlite3_column_bytes(handle, Int32(column))))
  }

  /// The identifier of a save, `nil` where there is none or something else.
  func identifier(at column: Int) -> UUID? {
    let bytes = data(at: column)
    guard bytes.count == MemoryLayout<uuid_t>.size else { return nil }
    return bytes.withUnsafeBytes { UUID(uuid: $0.loadUnaligned(as: uuid_t.self)) }
  }

  /// Lends the bytes of a blob or text, which end with the next step or reset.
  func withBytes<Result>(
    at column: Int,
    _ body: (UnsafeRawBufferPointer) throws -> Result
  ) rethrows -> Result {
    let start = sqlite3_column_blob(handle, Int32(column))
    let count = Int(sqlite3_column_bytes(handle, Int32(column)))
    return try body(UnsafeRawBufferPointer(start: start, count: start == nil ? 0 : count))
  }
}
