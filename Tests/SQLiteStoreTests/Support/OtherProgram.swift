import CSQLite
import Foundation

/// What a program does with a database that knows SQLite and nothing of stores.
enum OtherProgram {
  struct Refused: Error { let code: Int32 }

  /// Opens a database, runs statements, and closes it.
  static func run(_ path: String, _ sql: String) throws {
    var connection: OpaquePointer?
    defer { sqlite3_close(connection) }
    let opened = sqlite3_open(path, &connection)
    guard opened == SQLITE_OK else { throw Refused(code: opened) }
    let code = sqlite3_exec(connection, sql, nil, nil, nil)
    guard code == SQLITE_OK else { throw Refused(code: code) }
  }

  /// Reads a database, as the last one to close it if SQLite says so.
  static func read(_ path: String) throws {
    try run(path, "SELECT count(*) FROM sqlite_master")
  }

  /// Runs a body while the program has begun to write to a database.
  static func writing(to path: String, _ body: () throws -> Void) throws {
    var connection: OpaquePointer?
    defer { sqlite3_close(connection) }
    let opened = sqlite3_open(path, &connection)
    guard opened == SQLITE_OK else { throw Refused(code: opened) }
    let code = sqlite3_exec(connection, "BEGIN IMMEDIATE", nil, nil, nil)
    guard code == SQLITE_OK else { throw Refused(code: code) }
    try body()
  }
}
