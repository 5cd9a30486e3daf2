import CSQLite
import Foundation
import StoreFiles
import StoreProtocol

extension Database {
  /// Writes the database anew without what was deleted, folds the log into it, and has what is left
  /// of deleted values removed.
  ///
  /// - Parameters:
  ///   - check: Looks at the store before anything is written; what it throws ends the matter.
  ///   - sweep: Removes files without a row; the sidecar lock is held.
  /// - Throws: ``DataStoreError/notSaved`` when the system refuses, and what a save throws before it
  ///   begins; the rows are what they were.
  func compact(
    check: (Connection) throws -> Void,
    sweep: (Connection) throws -> Void
  ) throws {
    try used(.compacting) {
      try checkUse()
      guard case .file(let file) = place else {
        return try writer.withConnection { try $0.vacuum() }
      }
      try writer.withSlot { slot in
        try settle(file, before: UUID())
        let lock = try file.lock()
        defer { withExtendedLifetime(lock) {} }
        let connection = try slot.usableConnection()
        try checkFiles(file, writingOn: connection)
        try check(connection)
        try vacuum(connection, file)
        // A reader on an older state keeps the log: then the next save that finds it long folds it.
        fold(slot, file)
        // What cannot be removed now goes when the store is next opened.
        try? sweep(slot.usableConnection())
      }
    }
  }

  private func vacuum(_ connection: Connection, _ file: DatabaseFile) throws {
    do {
      try connection.vacuum()
    } catch {
      // What the log may have of it are the same rows in other places, so that nothing is in doubt;
      // it only takes room.
      connection.spoil()
      if let size = connection.logIndex?.logSize { try? file.log.cut(to: size, isSynced: false) }
      throw error
    }
  }
}

extension Connection {
  /// Writes the database anew; keys stay what they are, since they are SQLite's own.
  func vacuum() throws(SQLiteError) {
    // SQLite attaches the database that it builds.
    sqlite3_limit(handle, SQLITE_LIMIT_ATTACHED, 1)
    defer { sqlite3_limit(handle, SQLITE_LIMIT_ATTACHED, 0) }
    try execute("VACUUM")
  }
}
