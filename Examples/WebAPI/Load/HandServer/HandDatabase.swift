import Foundation
import RawSQLite

/// What SQLite says when it refuses.
struct HandError: Error, CustomStringConvertible {
  let description: String
  init(_ description: String) { self.description = description }
}

/// A connection.
final class HandDatabase {
  fileprivate let handle: OpaquePointer

  /// Opens a database with a write-ahead log whose every commit is synced.
  init(_ path: String) throws {
    var handle: OpaquePointer?
    let flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX
    guard sqlite3_open_v2(path, &handle, flags, nil) == SQLITE_OK, let handle else {
      throw HandError("\(path) cannot be opened")
    }
    self.handle = handle
    sqlite3_busy_timeout(handle, 5_000)
    try execute("PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA foreign_keys = ON")
  }

  deinit { sqlite3_close_v2(handle) }

  func createTables() throws {
    try execute(
      """
      CREATE TABLE IF NOT EXISTS trip (id INTEGER PRIMARY KEY AUTOINCREMENT, name TEXT NOT NULL,
        destination TEXT NOT NULL, startDate REAL NOT NULL, endDate REAL NOT NULL,
        hasNews INTEGER NOT NULL, UNIQUE (name, startDate, endDate));
      CREATE TABLE IF NOT EXISTS item (id INTEGER PRIMARY KEY, title TEXT NOT NULL,
        details TEXT NOT NULL, hasReservation INTEGER NOT NULL, isInPlan INTEGER NOT NULL,
        trip INTEGER NOT NULL REFERENCES trip (id));
      CREATE TABLE IF NOT EXISTS stay (id INTEGER PRIMARY KEY, address TEXT NOT NULL,
        placeName TEXT NOT NULL, isConfirmed INTEGER NOT NULL,
        trip INTEGER NOT NULL REFERENCES trip (id));
      CREATE INDEX IF NOT EXISTS tripName ON trip (name);
      CREATE INDEX IF NOT EXISTS tripStart ON trip (startDate);
      CREATE INDEX IF NOT EXISTS tripEnd ON trip (endDate);
      CREATE INDEX IF NOT EXISTS itemTrip ON item (trip);
      CREATE INDEX IF NOT EXISTS stayTrip ON stay (trip)
      """
    )
  }

  func execute(_ sql: String) throws {
    guard sqlite3_exec(handle, sql, nil, nil, nil) == SQLITE_OK else { throw failure() }
  }

  func transaction<Value>(_ body: () throws -> Value) throws -> Value {
    try execute("BEGIN IMMEDIATE")
    do {
      let value = try body()
      try execute("COMMIT")
      return value
    } catch {
      try? execute("ROLLBACK")
      throw error
    }
  }

  func prepare(_ sql: String) throws -> HandStatement { try HandStatement(sql, in: self) }

  fileprivate func failure() -> HandError { HandError(String(cString: sqlite3_errmsg(handle))) }
}

/// A prepared statement, ready again after its last row.
final class HandStatement {
  private let database: HandDatabase
  private let handle: OpaquePointer

  fileprivate init(_ sql: String, in database: HandDatabase) throws {
    var statement: OpaquePointer?
    let flags = UInt32(SQLITE_PREPARE_PERSISTENT)
    guard sqlite3_prepare_v3(database.handle, sql, -1, flags, &statement, nil) == SQLITE_OK,
      let statement
    else { throw database.failure() }
    self.database = database
    handle = statement
  }

  deinit { sqlite3_finalize(handle) }

  /// Goes to the next row, and says whether there is one.
  func step() throws -> Bool {
    switch sqlite3_step(handle) {
    case SQLITE_ROW: return true
    case SQLITE_DONE:
      sqlite3_reset(handle)
      return false
    default:
      sqlite3_reset(handle)
      throw database.failure()
    }
  }

  func integer(_ column: Int32) -> Int64 { sqlite3_column_int64(handle, column) }

  private func bool(_ column: Int32) -> Bool { integer(column) != 0 }

  private func date(_ column: Int32) -> Date {
    Date(timeIntervalSinceReferenceDate: sqlite3_column_double(handle, column))
  }

  private func text(_ column: Int32) -> String {
    guard let start = sqlite3_column_text(handle, column) else { return "" }
    let count = Int(sqlite3_column_bytes(handle, column))
    return String(decoding: UnsafeBufferPointer(start: start, count: count), as: UTF8.self)
  }

  func trip() -> HandTrip {
    HandTrip(
      id: integer(0),
      name: text(1),
      destination: text(2),
      startDate: date(3),
      endDate: date(4),
      hasNews: bool(5)
    )
  }

  func item() -> HandTrip.Item {
    HandTrip.Item(
      title: text(0),
      details: text(1),
      hasReservation: bool(2),
      isInPlan: bool(3)
    )
  }

  func stay() -> HandTrip.Stay {
    HandTrip.Stay(address: text(0), placeName: text(1), isConfirmed: bool(2))
  }

  func bind(_ value: Int64, at index: Int32) { sqlite3_bind_int64(handle, index, value) }

  private func bind(_ value: String, at index: Int32) {
    var text = value
    text.withUTF8 { bytes in
      _ = bytes.withMemoryRebound(to: CChar.self) {
        raw_bind_text(handle, index, $0.baseAddress, Int32($0.count))
      }
    }
  }

  private func bind(_ value: Date, at index: Int32) {
    sqlite3_bind_double(handle, index, value.timeIntervalSinceReferenceDate)
  }

  func bind(_ trip: HandTrip) {
    bind(trip.name, at: 1)
    bind(trip.destination, at: 2)
    bind(trip.startDate, at: 3)
    bind(trip.endDate, at: 4)
    bind(trip.hasNews == true ? 1 : 0, at: 5)
  }

  func bind(_ item: HandTrip.Item, of trip: Int64) {
    bind(item.title, at: 1)
    bind(item.details, at: 2)
    bind(item.hasReservation ? 1 : 0, at: 3)
    bind(item.isInPlan ? 1 : 0, at: 4)
    bind(trip, at: 5)
  }

  func bind(_ stay: HandTrip.Stay, of trip: Int64) {
    bind(stay.address, at: 1)
    bind(stay.placeName, at: 2)
    bind(stay.isConfirmed ? 1 : 0, at: 3)
    bind(trip, at: 4)
  }
}
