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
