import CSQLite
import Foundation

/// Reading of the current row's values; columns are numbered from 0.
extension Statement {
  @inlinable
  package func storage(at column: Int) -> SQLStorage {
    SQLStorage(sqlite3_column_type(handle, Int32(column)))
  }

  @inlinable
  package func isNull(at column: Int) -> Bool {
    sqlite3_column_type(handle, Int32(column)) == SQLITE_NULL
  }

  @inlinable
  package func integer(at column: Int) -> Int64 {
    sqlite3_column_int64(handle, Int32(column))
  }

  @inlinable
  package func real(at column: Int) -> Double {
    sqlite3_column_double(handle, Int32(column))
  }

  /// Returns the whole string of a column, which may contain a null character.
  ///
  /// - Returns: The string, or `nil` if the bytes are not UTF-8, which only a damaged file or
  ///   another program can cause.
  package func text(at column: Int) -> String? {
    guard let start = sqlite3_column_text(handle, Int32(column)) else { return "" }
    let count = Int(sqlite3_column_bytes(handle, Int32(column)))
    return String(exactly: UnsafeBufferPointer(start: start, count: count))
  }

  /// Returns the identifier of a save, or `nil` if the column contains none.
  package func identifier(at column: Int) -> UUID? {
    withBytes(at: column) { bytes in
      guard bytes.count == MemoryLayout<uuid_t>.size else { return nil }
      return UUID(uuid: bytes.loadUnaligned(as: uuid_t.self))
    }
  }

  /// Provides access to the bytes of a blob or string, which are valid until the next step or
  /// reset.
  @inlinable
  package func withBytes<Result>(
    at column: Int,
    _ body: (UnsafeRawBufferPointer) throws -> Result
  ) rethrows -> Result {
    // The pointer is read first and the count second: reading the pointer may convert the value.
    let start = sqlite3_column_blob(handle, Int32(column))
    let count = Int(sqlite3_column_bytes(handle, Int32(column)))
    return try body(UnsafeRawBufferPointer(start: start, count: start == nil ? 0 : count))
  }
}
