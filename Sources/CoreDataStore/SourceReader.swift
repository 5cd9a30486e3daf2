import CSQLite
import Foundation
import SQLTranslation
import SQLiteBinding
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
    do {
      handle = try SQLiteHandle.open(
        components.string ?? file.path,
        flags | SQLITE_OPEN_URI | SQLITE_OPEN_FULLMUTEX | SQLITE_OPEN_NOFOLLOW
      )
    } catch {
      throw DataStoreError(.io, "SQLite cannot open the file", file: path)
    }
    maximumRows = max(Self.size(of: file), Self.minimumSize)
    budget = StepBudget(size: maximumRows)
    budget.install(on: handle)
    do { try SQLiteHandle.harden(handle) } catch { throw translated(error) }
    _ = SwiftText.register(on: handle)
    // No value is larger than its file.
    sqlite3_limit(handle, SQLITE_LIMIT_LENGTH, Int32(clamping: min(maximumRows, 1 << 30)))
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
    do {
      return SourceStatement(try Statement(sql, on: handle), reader: self)
    } catch {
      throw translated(error)
    }
  }

  /// Prepares a statement and binds its parameters.
  func prepare(_ sql: SQLFragment) throws -> SourceStatement {
    let prepared = try prepare(sql.text)
    do throws(SQLiteError) {
      for (position, parameter) in sql.parameters.enumerated() {
        // The dialect has no functions.
        guard case .value(let value) = parameter else { continue }
        try prepared.statement.bind(value, at: position + 1)
      }
    } catch {
      throw translated(error)
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

  fileprivate func translated(_ error: SQLiteError) -> DataStoreError {
    let reason = error.message
    switch error.code {
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

  static func quoted(_ name: String) -> String { SQLText.quoted(name, by: "\"") }
}

/// A statement with its current row.
final class SourceStatement {
  fileprivate let statement: Statement
  private let reader: SourceReader
  private var count = 0

  fileprivate init(_ statement: Statement, reader: SourceReader) {
    self.statement = statement
    self.reader = reader
  }

  /// Moves to the next row.
  ///
  /// - Returns: Whether there is one.
  func step() throws -> Bool {
    do {
      guard try statement.step() else { return false }
    } catch {
      throw reader.translated(error)
    }
    count += 1
    guard count <= reader.maximumRows else {
      throw DataStoreError(
        .storeDamaged,
        "a table has more rows than a file of this size allows",
        file: reader.path
      )
    }
    return true
  }

  /// Returns the value of a column, the first of which is 0.
  func cell(_ column: Int) -> SourceCell {
    switch statement.storage(at: column) {
    case .null: .null
    case .integer: .integer(statement.integer(at: column))
    case .real: .real(statement.real(at: column))
    case .text: .text(statement.withBytes(at: column) { [UInt8]($0) })
    case .blob: .blob(statement.withBytes(at: column) { [UInt8]($0) })
    }
  }

  /// Returns the integer of a column, or `nil` if it has another value.
  func integer(_ column: Int) -> Int64? {
    statement.storage(at: column) == .integer ? statement.integer(at: column) : nil
  }

  /// Returns the string of a column, or `nil` if it has another value or is not valid UTF-8.
  func string(_ column: Int) -> String? {
    statement.storage(at: column) == .text ? statement.text(at: column) : nil
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
