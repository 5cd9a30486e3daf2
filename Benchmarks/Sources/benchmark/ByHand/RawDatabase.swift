import Foundation
import RawSQLite

/// SQLite's C interface by hand: what one writes who knows the table and nothing else.
final class RawDatabase {
  private let handle: OpaquePointer

  static let columns = "number, \"group\", rank, price, weight, name, city, note, created"
  static let selection = "SELECT id, \(columns) FROM item"

  /// Opens a database with a write-ahead log whose every commit is synced.
  init(_ path: String) throws {
    var handle: OpaquePointer?
    let flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX
    guard sqlite3_open_v2(path, &handle, flags, nil) == SQLITE_OK, let handle else {
      throw BenchmarkError("\(path) cannot be opened")
    }
    self.handle = handle
    try execute("PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL")
  }

  deinit { sqlite3_close(handle) }

  func execute(_ sql: String) throws {
    guard sqlite3_exec(handle, sql, nil, nil, nil) == SQLITE_OK else { throw failure(sql) }
  }

  func createTable() throws {
    try execute(
      """
      CREATE TABLE item (id INTEGER PRIMARY KEY, number INTEGER, "group" INTEGER, rank INTEGER,
        price REAL, weight REAL, name TEXT, city TEXT, note TEXT, created REAL);
      CREATE INDEX item_group ON item("group", rank)
      """
    )
  }

  /// Runs a closure in one transaction.
  func transaction(_ body: () throws -> Void) throws {
    try execute("BEGIN IMMEDIATE")
    try body()
    try execute("COMMIT")
  }

  /// Prepares a statement that its owner finalizes when it goes.
  func statement(_ sql: String) throws -> RawStatement {
    var statement: OpaquePointer?
    guard sqlite3_prepare_v2(handle, sql, -1, &statement, nil) == SQLITE_OK, let statement else {
      throw failure(sql)
    }
    return RawStatement(handle: statement)
  }

  /// One number.
  func number(_ sql: String) throws -> Int {
    let statement = try statement(sql)
    guard statement.step() else { throw failure(sql) }
    return statement.integer(0)
  }

  /// Writes rows in one transaction.
  func insert(_ items: [PlainItem]) throws {
    let statement = try statement(
      "INSERT INTO item (id, \(Self.columns)) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"
    )
    try transaction {
      for item in items {
        statement.bind(item)
        guard statement.run() else { throw failure("INSERT") }
      }
    }
  }

  func failure(_ sql: String) -> BenchmarkError {
    BenchmarkError("SQLite: \(String(cString: sqlite3_errmsg(handle))) in \(sql)")
  }
}

/// A prepared statement of SQLite.
struct RawStatement: ~Copyable {
  let handle: OpaquePointer

  deinit { sqlite3_finalize(handle) }

  func step() -> Bool { sqlite3_step(handle) == SQLITE_ROW }

  /// Runs a statement that gives no rows.
  func run() -> Bool {
    let isDone = sqlite3_step(handle) == SQLITE_DONE
    sqlite3_reset(handle)
    return isDone
  }

  func reset() { sqlite3_reset(handle) }

  func bind(_ value: Int, at index: Int32) {
    sqlite3_bind_int64(handle, index, Int64(value))
  }

  func bind(_ value: Double, at index: Int32) {
    sqlite3_bind_double(handle, index, value)
  }

  func bindNull(at index: Int32) { sqlite3_bind_null(handle, index) }

  func bind(_ value: String, at index: Int32) {
    var text = value
    text.withUTF8 { bytes in
      _ = bytes.withMemoryRebound(to: CChar.self) {
        raw_bind_text(handle, index, $0.baseAddress, Int32($0.count))
      }
    }
  }

  func bind(_ item: PlainItem) {
    bind(item.id, at: 1)
    bind(item.number, at: 2)
    bind(item.group, at: 3)
    bind(item.rank, at: 4)
    bind(item.price, at: 5)
    bind(item.weight, at: 6)
    bind(item.name, at: 7)
    bind(item.city, at: 8)
    bind(item.note, at: 9)
    bind(item.created.timeIntervalSinceReferenceDate, at: 10)
  }

  func integer(_ column: Int32) -> Int { Int(sqlite3_column_int64(handle, column)) }

  func double(_ column: Int32) -> Double { sqlite3_column_double(handle, column) }

  func text(_ column: Int32) -> String {
    guard let start = sqlite3_column_text(handle, column) else { return "" }
    let count = Int(sqlite3_column_bytes(handle, column))
    return String(decoding: UnsafeBufferPointer(start: start, count: count), as: UTF8.self)
  }

  /// The object of the current row of ``RawDatabase/selection``.
  func item() -> PlainItem {
    PlainItem(
      id: integer(0),
      number: integer(1),
      group: integer(2),
      rank: integer(3),
      price: double(4),
      weight: double(5),
      name: text(6),
      city: text(7),
      note: text(8),
      created: Date(timeIntervalSinceReferenceDate: double(9))
    )
  }

  /// All objects that the statement has left, with room for as many as are expected.
  func items(expecting count: Int = 0) -> [PlainItem] {
    var items: [PlainItem] = []
    items.reserveCapacity(count)
    while step() { items.append(item()) }
    reset()
    return items
  }
}
