import StoreFiles
import StoreProtocol

// From a path to a connection: the hold on the file, a check of what it is, and its rewritten log.

extension StoreOpening {
  /// Returns the hold on a file that may be a store, or `nil` if there is no file.
  func claim(_ file: DatabaseFile, for use: FileUse) throws -> DatabaseHold? {
    guard let status = try file.status() else { return nil }
    let hold = try DatabaseHold.claim(file, status, for: use)
    // A file to which this process has connections was checked before.
    if hold.connectedCount == 0 { try releasing(hold) { try file.look(hold, status) } }
    return hold
  }

  /// Releases a hold if a body throws.
  ///
  /// - Parameters:
  ///   - hold: The hold.
  ///   - isConnected: Whether the body runs after ``DatabaseHold/noteConnection()``.
  ///   - body: The work.
  /// - Returns: The result of the body.
  /// - Throws: The body's errors.
  func releasing<Result>(
    _ hold: DatabaseHold?,
    isConnected: Bool = false,
    _ body: () throws -> Result
  ) throws -> Result {
    do {
      return try body()
    } catch {
      hold?.release(isConnected: isConnected) {}
      throw error
    }
  }

  /// Opens the writing connection of a file whose sidecar lock is held.
  ///
  /// - Parameters:
  ///   - file: The file.
  ///   - found: The hold on the file that was there before the lock was taken.
  ///   - makes: Whether to create the file if there is none.
  ///   - body: Takes ownership of connection and hold, unless it throws.
  /// - Returns: The result of the body.
  /// - Throws: The body's errors; ``DataStoreError/storeReplaced`` if the file or its log is not
  ///   the one that others have open; `SQLiteError` and `FileError` if the system refuses.
  func connecting<Result>(
    to file: DatabaseFile,
    found: DatabaseHold?,
    makes: Bool = false,
    _ body: (Connection, DatabaseHold) throws -> Result
  ) throws -> Result {
    let hold = try releasing(found) {
      if makes { MigrationLocation.sweep(file.name, in: file.folder) }
      // Files of a killed copy to this path take up space and do nothing else.
      if makes, found != nil { try? file.folder.sweepTemporaryFiles(of: file.name) }
      return try current(found, of: file, makes: makes)
    }
    let isRenewed = try releasing(hold) { try file.checkLog(hold) }
    hold.noteConnection()
    return try releasing(hold, isConnected: true) {
      let connection = try Connection(options(file, files: files(of: file)))
      connection.isLogRenewed = isRenewed
      do {
        try file.checkLog(of: connection)
        return try body(connection, hold)
      } catch {
        connection.close()
        throw error
      }
    }
  }

  /// Returns the hold on the file to which the path refers now.
  private func current(
    _ found: DatabaseHold?,
    of file: DatabaseFile,
    makes: Bool
  ) throws -> DatabaseHold {
    if let found {
      guard try file.folder.extent(of: file.name)?.identity == found.status.identity else {
        throw StoreErrors.replaced(file.path)
      }
      return found
    }
    if let hold = try claim(file, for: .updating) { return hold }
    if makes { try file.create() }
    guard let hold = try claim(file, for: .updating) else { throw StoreErrors.replaced(file.path) }
    return hold
  }

  /// Prepares an existing store for saves.
  ///
  /// A log that was left behind is checkpointed at once. Then SQLite's index says of each later
  /// checkpoint whether it succeeded.
  func prepareLog(_ file: DatabaseFile?, _ hold: DatabaseHold?, on connection: Connection) throws {
    if let file, let hold {
      try renewLog(of: file, on: connection)
      // If it cannot be determined whether others have the file open, SQLite's recovery is trusted.
      if !hold.hasLocks { try file.forgetFailure() }
      if configuration.durability != .none,
        try Metadata.integer(.unsynced, from: connection) != nil
      {
        try hold.open().sync()
        try file.log.sync()
        try connection.transaction {
          try Metadata.remove(Metadata.Key.unsynced.rawValue, on: connection)
        }
      }
    }
    try connection.enterWAL()
    if connection.logIndex?.hasUnfinishedCheckpoint == true { connection.checkpoint() }
  }

  /// Ensures that the log of others is on stable storage, before a save builds on it.
  ///
  /// Current readers use pages of the log, so nothing of it is dropped from memory.
  private func renewLog(of file: DatabaseFile, on connection: Connection) throws {
    guard !connection.isLogRenewed, configuration.durability != .none, try file.log.hasBytes()
    else { return }
    do {
      try connection.withWriteLock { try file.log.renew(forgets: false) }
    } catch let error as SQLiteError where error.kind == .busy {
      // Another program is writing: it is running, and so the index of what was synced is valid.
    }
  }

  /// Takes the locks of the hold, and records which files were opened.
  func opened(
    _ file: DatabaseFile?,
    _ hold: DatabaseHold?,
    _ connection: Connection
  ) throws -> OpenedFiles? {
    guard let file, let hold else { return nil }
    // Another program's journal mode needs exclusive access to a file now and then.
    if connection.hasLogOpen { try hold.takeLocks(of: file) }
    return try OpenedFiles(file, hold)
  }
}
