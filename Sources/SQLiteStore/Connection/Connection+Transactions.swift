import CSQLite

extension Connection {
  /// Runs a body in one write transaction: all of it is stored on return, nothing if it throws.
  ///
  /// The lock is taken at the beginning (`BEGIN IMMEDIATE`). A transaction that reads first and
  /// requests the lock later fails at once if another writer came between.
  ///
  /// - Parameters:
  ///   - patience: The time in milliseconds that statements wait for other connections, or `nil` for
  ///     the one of the connection's options.
  ///   - body: The statements.
  /// - Returns: The result of the body.
  /// - Throws: The body's errors, or ``CommitFailure`` if the commit itself fails.
  func transaction<Result>(
    waiting patience: Int? = nil,
    _ body: () throws -> Result
  ) throws -> Result {
    if let patience { sqlite3_busy_timeout(handle, Int32(patience)) }
    defer { if patience != nil { sqlite3_busy_timeout(handle, options.busyTimeout) } }
    try run("BEGIN IMMEDIATE")
    let result: Result
    do {
      result = try body()
    } catch {
      rollBack()
      throw error
    }
    do {
      try run("COMMIT")
    } catch let error as SQLiteError {
      rollBack()
      throw CommitFailure(cause: error)
    }
    return result
  }

  /// Runs a body while no other connection can write, not even one of another program.
  func withWriteLock<Result>(_ body: () throws -> Result) throws -> Result {
    try run("BEGIN IMMEDIATE")
    defer { rollBack() }
    return try body()
  }

  /// Runs a body on one state of the database, regardless of commits by others meanwhile.
  func snapshot<Result>(_ body: () throws -> Result) throws -> Result {
    // In memory no other connection writes meanwhile; an open transaction has one state.
    guard options.location != .memory, isInAutocommit else { return try body() }
    try run("BEGIN")
    defer {
      // Nothing was written, so a rollback and a commit have the same effect, and a rollback cannot
      // fail because of a busy reader.
      rollBack()
    }
    return try body()
  }

  /// Runs a body without SQLite's enforcement of foreign keys.
  func withoutReferenceChecks<Result>(_ body: () throws -> Result) throws -> Result {
    try execute("PRAGMA foreign_keys = OFF")
    defer {
      do {
        try execute("PRAGMA foreign_keys = ON")
      } catch {
        // A connection that does not enforce foreign keys must not write again.
        makeUnusable()
      }
    }
    return try body()
  }

  /// Ends the open transaction, if SQLite has not done so itself after an error.
  private func rollBack() {
    if !inexactRows.indexes.isEmpty { inexactRows = InexactRows() }
    guard !isInAutocommit else { return }
    do {
      try run("ROLLBACK")
    } catch {
      // A connection that cannot even roll back must not be used again.
      noteFailure(SQLiteError(extendedCode: SQLITE_IOERR, message: "the rollback failed"))
    }
  }

  /// Moves the log's pages into the database file and empties the log.
  ///
  /// It is only called under the sidecar lock, which separates all commits and checkpoints of the
  /// store's processes.
  ///
  /// - Parameter keepsLength: Whether the log's file keeps its length, so that the next commits
  ///   overwrite its obsolete frames.
  /// - Returns: Whether the log is empty now; a reader on an older state keeps it.
  @discardableResult
  func checkpoint(keepsLength: Bool = false) -> Bool {
    // The writer does not wait for a reader that is still on an old state.
    sqlite3_busy_timeout(handle, 0)
    defer { sqlite3_busy_timeout(handle, options.busyTimeout) }
    guard mayCheckpoint, (try? beginSyncedCheckpoint()) != nil else { return false }
    defer { endSyncedCheckpoint() }
    let mode = keepsLength ? SQLITE_CHECKPOINT_RESTART : SQLITE_CHECKPOINT_TRUNCATE
    let code = sqlite3_wal_checkpoint_v2(handle, nil, mode, nil, nil)
    if code != SQLITE_OK { noteFailure(SQLiteError(connection: handle, code: code)) }
    if isUnusable { options.file?.noteFailure() }
    return code == SQLITE_OK
  }

  /// Enables syncs for the next checkpoint, at any durability.
  ///
  /// A checkpoint replaces the log, in which other programs may have saves that are acknowledged as
  /// durable. Only a store that was never opened with durability needs no syncs
  /// (``Metadata/Key/unsynced``).
  func beginSyncedCheckpoint() throws {
    guard options.synchronous == .off, options.file != nil else { return }
    guard try Metadata.integer(.unsynced, from: self) == nil else { return }
    try execute("PRAGMA synchronous = NORMAL")
  }

  private func endSyncedCheckpoint() {
    guard options.synchronous == .off, options.file != nil else { return }
    try? execute("PRAGMA synchronous = OFF")
  }
}
