import CSQLite
import Foundation
import StoreFiles

extension Database {
  /// Rebuilds the database without deleted data, checkpoints the log, and removes the remains of
  /// deleted values.
  ///
  /// - Parameters:
  ///   - check: Checks the store before anything is written; its errors end the operation.
  ///   - sweep: Removes files without a row; the sidecar lock is held.
  /// - Throws: ``DataStoreError/notSaved`` if the system refuses, and the errors of a save before
  ///   it begins; the rows are unchanged.
  func compact(
    check: (Connection) throws -> Void,
    sweep: (Connection) throws -> Void
  ) throws {
    try used(.compacting) {
      guard let file else {
        return try writer.withConnection { try $0.vacuum() }
      }
      try withWriter(before: SaveRequest(UUID(), file)) { slot, connection, _ in
        try check(connection)
        try vacuum(connection, file)
        // A reader on an older state keeps the log. Then the next save that finds it long
        // checkpoints it.
        checkpoint(slot, file)
        // Files that cannot be removed now are removed when the store is next opened.
        try? sweep(slot.usableConnection())
      }
    }
  }

  private func vacuum(_ connection: Connection, _ file: DatabaseFile) throws {
    do {
      try connection.vacuum()
    } catch {
      // The log may have the same rows on other pages, so nothing is indeterminate; it only takes
      // up space.
      connection.makeUnusable()
      if let size = connection.logIndex?.logSize { try? file.log.cut(to: size, isSynced: false) }
      throw error
    }
  }
}

extension Connection {
  /// Rebuilds the database; keys stay the same, since they are SQLite's own.
  func vacuum() throws(SQLiteError) {
    // SQLite attaches the database that it builds.
    sqlite3_limit(handle, SQLITE_LIMIT_ATTACHED, 1)
    defer { sqlite3_limit(handle, SQLITE_LIMIT_ATTACHED, 0) }
    try execute("VACUUM")
  }
}
