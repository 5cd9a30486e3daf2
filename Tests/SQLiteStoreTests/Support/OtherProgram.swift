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

  /// Runs a body in a child of this process that has its open files.
  ///
  /// - Returns: The child's exit status, or `nil` if it did not exit.
  static func fork(_ body: () -> Int32) throws -> Int32? {
    // Swift leaves the call out, since the other threads of a program are not there in the child.
    guard let symbol = dlsym(dlopen(nil, RTLD_NOW), "fork") else { throw Refused(code: -1) }
    let child = unsafeBitCast(symbol, to: (@convention(c) () -> pid_t).self)()
    if child == 0 {
      // A child that waits for a thread that is not there ends as well.
      alarm(60)
      _exit(body())
    }
    var status: Int32 = 0
    guard child > 0, waitpid(child, &status, 0) == child else { throw Refused(code: -1) }
    return status & 0x7F == 0 ? (status >> 8) & 0xFF : nil
  }
}
