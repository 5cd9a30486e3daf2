import CSQLite
import Foundation
import StoreProtocol

/// A connection that reads a SQLite file that this engine did not write.
///
/// Nothing in the file is executed: no trigger, view, extension or function of its schema is
/// trusted. Statements quote the names of tables and columns.
///
/// Unchecked: SQLite is opened with its own lock, so that threads can share the connection. A
/// statement is used only by the call that prepared it.
final class SourceReader: @unchecked Sendable {
  private let handle: OpaquePointer
  /// The path of the file in messages.
  let path: String
  /// The maximum number of rows of a statement: every row of a table needs a byte of the file.
  fileprivate let maximumRows: Int
  private let budget: StepBudget

  /// Opens a database.
  ///
  /// - Parameters:
  ///   - file: The file to read: a private copy, or the source itself if `isSource` is true.
  ///   - isSource: Whether the file must stay as it is; its log is then not read.
  ///   - path: The source's path, for messages.
  /// - Throws: ``DataStoreError/io`` or ``DataStoreError/storeDamaged``.
  init(_ file: URL, isSource: Bool, path: String) throws {
    self.path = path
    var components = URLComponents()
    components.scheme = "file"
    components.path = file.path
    if isSource { components.queryItems = [URLQueryItem(name: "immutable", value: "1")] }
    let flags = isSource ? SQLITE_OPEN_READONLY : SQLITE_OPEN_READWRITE
    var opened: OpaquePointer?
    let code = sqlite3_open_v2(
      components.string ?? file.path,
      &opened,
      flags | SQLITE_OPEN_URI | SQLITE_OPEN_FULLMUTEX | SQLITE_OPEN_NOFOLLOW,
      nil
    )
    guard code == SQLITE_OK, let opened else {
      sqlite3_close_v2(opened)
      throw DataStoreError(.io, "SQLite cannot open the file", file: path)
    }
    handle = opened
    let size = Self.size(of: file)
    maximumRows = max(size, Self.minimumSize)
    budget = StepBudget(size: maximumRows)
    budget.install(on: opened)
    for (option, value) in [
      (SQLITE_DBCONFIG_DEFENSIVE, 1), (SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0),
      (SQLITE_DBCONFIG_ENABLE_TRIGGER, 0), (SQLITE_DBCONFIG_ENABLE_VIEW, 0),
    ] as [(Int32, Int32)] {
      _ = csqlite_db_config(opened, option, value)
    }
    _ = SwiftCollation.register(on: opened)
    // No value is larger than its file.
    sqlite3_limit(opened, SQLITE_LIMIT_LENGTH, Int32(clamping: min(maximumRows, 1 << 30)))
    try run("PRAGMA query_only = ON")
    try run("PRAGMA cell_size_check = ON")
  }

  deinit {
    sqlite3_close_v2(handle)
  }

  private static let minimumSize = 1 << 20

  /// Returns the size of a database with its log.
  private static func size(of file: URL) -> Int {
    [file.path, file.path + "-wal"].reduce(0) { size, path in
      let attributes = try? FileManager.default.attributesOfItem(atPath: path)
      return size + (attributes?[.size] as? Int ?? 0)
    }
  }

  func prepare(_ sql: String) throws -> SourceStatement {
    budget.renew()
    var statement: OpaquePointer?
    let code = sqlite3_prepare_v2(handle, sql, -1, &statement, nil)
    guard code == SQLITE_OK, let statement else { throw error(code) }
    return SourceStatement(statement, reader: self)
  }

  /// Prepares a statement and binds its parameters.
  func prepare(_ statement: SQLCondition) throws -> SourceStatement {
    let prepared = try prepare(statement.sql)
    for (position, value) in statement.values.enumerated() {
      prepared.bind(value, at: position + 1)
    }
    return prepared
  }

  func rows<Value>(
    _ sql: String,
    _ read: (SourceStatement) throws -> Value
  ) throws -> [Value] {
    let statement = try prepare(sql)
    var result: [Value] = []
    while try statement.step() { result.append(try read(statement)) }
    return result
  }

  private func run(_ sql: String) throws {
    _ = try rows(sql) { _ in }
  }

  func error(_ code: Int32) -> DataStoreError {
    let reason = String(cString: sqlite3_errmsg(handle))
    switch code & 0xFF {
    case SQLITE_CORRUPT, SQLITE_NOTADB, SQLITE_FORMAT, SQLITE_ERROR:
      return DataStoreError(.storeDamaged, "SQLite finds damage: \(reason)", file: path)
    case SQLITE_INTERRUPT:
      return DataStoreError(
        .storeDamaged,
        "a statement needs more steps than a file of this size allows",
        file: path
      )
    case SQLITE_BUSY, SQLITE_LOCKED:
      return DataStoreError(
        .storeBusy,
        "another program is writing the file: \(reason)",
        file: path
      )
    default: return DataStoreError(.io, "SQLite cannot read the file: \(reason)", file: path)
    }
  }

  /// Returns the SQL of a list of integers, which need no parameters; SQLite limits their number.
  static func list(_ integers: some Sequence<Int64>) -> String {
    integers.map(String.init).joined(separator: ", ")
  }

  static func quoted(_ name: String) -> String {
    "\"\(name.replacing("\"", with: "\"\""))\""
  }
}

/// A statement with its current row.
final class SourceStatement {
  private let handle: OpaquePointer
  private let reader: SourceReader
  private var count = 0

  fileprivate init(_ handle: OpaquePointer, reader: SourceReader) {
    self.handle = handle
    self.reader = reader
  }

  deinit {
    sqlite3_finalize(handle)
  }

  /// Moves to the next row.
  ///
  /// - Returns: Whether there is one.
  func step() throws -> Bool {
    let code = sqlite3_step(handle)
    switch code {
    case SQLITE_ROW:
      count += 1
      guard count <= reader.maximumRows else {
        throw DataStoreError(
          .storeDamaged,
          "a table has more rows than a file of this size allows",
          file: reader.path
        )
      }
      return true
    case SQLITE_DONE: return false
    default: throw reader.error(code)
    }
  }

  /// Binds a value to a parameter, the first of which is 1.
  fileprivate func bind(_ value: SourceCell, at index: Int) {
    let index = Int32(index)
    switch value {
    case .null: sqlite3_bind_null(handle, index)
    case .integer(let value): sqlite3_bind_int64(handle, index, value)
    case .real(let value): sqlite3_bind_double(handle, index, value)
    case .text(let bytes):
      bytes.withUnsafeBytes { bytes in
        let start = bytes.baseAddress?.assumingMemoryBound(to: CChar.self)
        _ = csqlite_bind_text(handle, index, start, UInt64(bytes.count))
      }
    case .blob(let bytes):
      bytes.withUnsafeBytes { bytes in
        _ = csqlite_bind_blob(handle, index, bytes.baseAddress, UInt64(bytes.count))
      }
    }
  }

  /// Returns the value of a column, the first of which is 0.
  func cell(_ column: Int) -> SourceCell {
    let column = Int32(column)
    switch sqlite3_column_type(handle, column) {
    case SQLITE_INTEGER: return .integer(sqlite3_column_int64(handle, column))
    case SQLITE_FLOAT: return .real(sqlite3_column_double(handle, column))
    case SQLITE_TEXT: return .text(bytes(sqlite3_column_text(handle, column), column))
    case SQLITE_BLOB:
      let start = sqlite3_column_blob(handle, column)
      return .blob(bytes(start?.assumingMemoryBound(to: UInt8.self), column))
    default: return .null
    }
  }

  /// Returns the integer of a column, or `nil` if it has another value.
  func integer(_ column: Int) -> Int64? {
    sqlite3_column_type(handle, Int32(column)) == SQLITE_INTEGER
      ? sqlite3_column_int64(handle, Int32(column)) : nil
  }

  /// Returns the string of a column, or `nil` if it has another value or is not valid UTF-8.
  func string(_ column: Int) -> String? {
    guard case .text(let bytes) = cell(column) else { return nil }
    return String(validating: bytes, as: UTF8.self)
  }

  private func bytes(_ start: UnsafePointer<UInt8>?, _ column: Int32) -> [UInt8] {
    let count = Int(sqlite3_column_bytes(handle, column))
    return [UInt8](UnsafeBufferPointer(start: start, count: start == nil ? 0 : count))
  }
}

/// A value in SQLite's representation.
enum SourceCell: Hashable, Sendable {
  case null
  case integer(Int64)
  case real(Double)
  case text([UInt8])
  case blob([UInt8])

  /// The name of the kind in messages.
  var kindName: String {
    switch self {
    case .null: "NULL"
    case .integer: "an integer"
    case .real: "a number"
    case .text: "a string"
    case .blob: "bytes"
    }
  }
}
