import CSQLite

/// Connections of SQLite, from open to the first statement.
package enum SQLiteHandle {
  /// Opens a database.
  ///
  /// - Throws: ``SQLiteError``; nothing is left open then.
  package static func open(
    _ path: String,
    _ flags: Int32,
    fileSystem: String? = nil
  ) throws(SQLiteError) -> OpaquePointer {
    var handle: OpaquePointer?
    let code = sqlite3_open_v2(path, &handle, flags, fileSystem)
    guard code == SQLITE_OK, let handle else {
      let error = SQLiteError(connection: handle, code: code)
      sqlite3_close_v2(handle)
      throw error
    }
    return handle
  }

  /// Makes a connection execute nothing of a hostile file's schema, and applies more settings.
  package static func harden(
    _ handle: OpaquePointer?,
    _ settings: [(Int32, Int32)] = []
  ) throws(SQLiteError) {
    let common: [(Int32, Int32)] = [
      (SQLITE_DBCONFIG_DEFENSIVE, 1), (SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0),
      (SQLITE_DBCONFIG_ENABLE_TRIGGER, 0), (SQLITE_DBCONFIG_ENABLE_VIEW, 0),
    ]
    for (setting, value) in common + settings {
      let code = csqlite_db_config(handle, setting, value)
      guard code == SQLITE_OK else { throw SQLiteError(connection: handle, code: code) }
    }
  }
}
