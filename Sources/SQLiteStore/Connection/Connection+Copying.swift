import CSQLite

extension Connection {
  /// The number of pages that are copied before other connections get a turn.
  private static let pagesAtOnce: Int32 = 256

  /// Replaces the whole database with that of another connection, in one transaction.
  ///
  /// - Throws: `SQLiteError`; the database is then unchanged.
  func takePages(of source: Connection) throws {
    guard let backup = sqlite3_backup_init(handle, "main", source.handle, "main") else {
      throw SQLiteError(connection: handle, code: SQLITE_ERROR)
    }
    var code: Int32
    repeat {
      source.options.log?.statementStepped()
      code = sqlite3_backup_step(backup, Self.pagesAtOnce)
    } while code == SQLITE_OK
    let end = sqlite3_backup_finish(backup)
    guard code == SQLITE_DONE, end == SQLITE_OK else {
      throw SQLiteError(connection: handle, code: code == SQLITE_DONE ? end : code)
    }
  }
}
