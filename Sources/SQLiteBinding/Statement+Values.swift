import CSQLite
import Foundation
import SQLTranslation

/// Binding of values to parameters, which SQLite numbers from 1.
extension Statement {
  @inlinable
  package func bind(_ value: Int64, at index: Int) throws(SQLiteError) {
    try check(sqlite3_bind_int64(handle, Int32(index), value))
  }

  /// Binds a number; NaN would become null, so callers encode it before.
  @inlinable
  package func bind(_ value: Double, at index: Int) throws(SQLiteError) {
    try check(sqlite3_bind_double(handle, Int32(index), value))
  }

  package func bind(_ value: String, at index: Int) throws(SQLiteError) {
    var text = value
    let code = text.withUTF8 { bytes in
      bytes.withMemoryRebound(to: CChar.self) {
        csqlite_bind_text(handle, Int32(index), $0.baseAddress, UInt64($0.count))
      }
    }
    try check(code)
  }

  /// Binds a string and scans its bytes.
  ///
  /// - Returns: Whether no byte can begin a scalar from U+0300 on. Then the string is in composed
  ///   form, whatever else it contains.
  package func bind(scanning value: String, at index: Int) throws(SQLiteError) -> Bool {
    var text = value
    var highest: UInt8 = 0
    let code = text.withUTF8 { bytes in
      for byte in bytes { highest = max(highest, byte) }
      return bytes.withMemoryRebound(to: CChar.self) {
        csqlite_bind_text(handle, Int32(index), $0.baseAddress, UInt64($0.count))
      }
    }
    try check(code)
    return highest < ExactText.firstCombiningByte
  }

  package func bind(_ value: Data, at index: Int) throws(SQLiteError) {
    let code = value.withUnsafeBytes {
      csqlite_bind_blob(handle, Int32(index), $0.baseAddress, UInt64($0.count))
    }
    try check(code)
  }

  /// Binds the identifier of a save.
  package func bind(_ identifier: UUID, at index: Int) throws(SQLiteError) {
    let code = withUnsafeBytes(of: identifier.uuid) {
      csqlite_bind_blob(handle, Int32(index), $0.baseAddress, UInt64($0.count))
    }
    try check(code)
  }

  @inlinable
  package func bindNull(at index: Int) throws(SQLiteError) {
    try check(sqlite3_bind_null(handle, Int32(index)))
  }

  /// Binds a value of a fragment.
  package func bind(_ value: BoundValue, at index: Int) throws(SQLiteError) {
    switch value {
    case .integer(let number): try bind(number, at: index)
    case .real(let number): try bind(number, at: index)
    case .text(let text): try bind(text, at: index)
    case .blob(let data): try bind(data, at: index)
    // Operands of SQLite's dialects have no others.
    case .null, .bool, .decimal, .uuid, .list: try bindNull(at: index)
    }
  }

  @inlinable
  package func check(_ code: Int32) throws(SQLiteError) {
    if code != SQLITE_OK { throw failed(code) }
  }
}

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

  /// Returns the integer of a column, or `nil` if it has another storage class.
  package func storedInteger(at column: Int) -> Int64? {
    guard sqlite3_column_type(handle, Int32(column)) == SQLITE_INTEGER else { return nil }
    return sqlite3_column_int64(handle, Int32(column))
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

/// The storage class of a value in SQLite, regardless of its column's declared type.
@usableFromInline
package enum SQLStorage: Sendable {
  case integer
  case real
  case text
  case blob
  case null

  /// Creates the storage class of one of SQLite's codes.
  @inlinable
  package init(_ code: Int32) {
    switch code {
    case SQLITE_INTEGER: self = .integer
    case SQLITE_FLOAT: self = .real
    case SQLITE_TEXT: self = .text
    case SQLITE_BLOB: self = .blob
    default: self = .null
    }
  }
}

extension String {
  /// Creates the string of some bytes, or returns `nil` if they are not UTF-8.
  ///
  /// Only a damaged file or another program can cause that.
  package init?(exactly bytes: UnsafeBufferPointer<UInt8>) {
    let text = String(decoding: bytes, as: UTF8.self)
    if bytes.isASCII {
      self = text
      return
    }
    // Invalid bytes were replaced, and so differ. The validating initializer is not specialized and
    // takes twice as long.
    let isSame = text.utf8.withContiguousStorageIfAvailable { other in
      guard other.count == bytes.count, let base = other.baseAddress, let start = bytes.baseAddress
      else { return bytes.isEmpty }
      return memcmp(base, start, bytes.count) == 0
    }
    guard isSame == true else { return nil }
    self = text
  }
}

extension UnsafeBufferPointer<UInt8> {
  /// Whether all bytes are ASCII; eight are tested at a time.
  fileprivate var isASCII: Bool {
    let bytes = UnsafeRawBufferPointer(self)
    var bits: UInt64 = 0
    var index = 0
    while count - index >= 8 {
      bits |= bytes.loadUnaligned(fromByteOffset: index, as: UInt64.self)
      index += 8
    }
    while index < count {
      bits |= UInt64(self[index])
      index += 1
    }
    return bits & 0x8080_8080_8080_8080 == 0
  }
}
