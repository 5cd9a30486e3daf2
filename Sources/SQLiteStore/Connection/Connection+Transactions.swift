import CSQLite

extension Connection {
  /// Runs a body in one write transaction: all of it is there when this returns, none when it
  /// throws.
  ///
  /// The lock is taken at the beginning (`BEGIN IMMEDIATE`): a transaction that reads first and
  /// asks for the lock later fails at once when another writer came between.
  ///
  /// - Throws: What the body throws, or ``CommitFailure`` when the commit itself fails.
  func transaction<Result>(_ body: () throws -> Result) throws -> Result {
    try runCached("BEGIN IMMEDIATE")
    let result: Result
    do {
      result = try body()
    } catch {
      rollBack()
      throw error
    }
    do {
      try runCached("COMMIT")
    } catch let error as SQLiteError {
      rollBack()
      throw CommitFailure(cause: error)
    }
    return result
  }

  /// Runs a body while nobody else can write, not even by another program.
  func withWriteLock<Result>(_ body: () throws -> Result) throws -> Result {
    try runCached("BEGIN IMMEDIATE")
    defer { rollBack() }
    return try body()
  }

  /// Runs a body on one state of the database, whatever others commit meanwhile.
  func snapshot<Result>(_ body: () throws -> Result) throws -> Result {
    try runCached("BEGIN")
    defer {
      // Nothing was written, so a rollback and a commit do the same, and a rollback cannot fail
      // for a busy reader.
      rollBack()
    }
    return try body()
  }

  /// Runs a body with or without SQLite's look after references.
  func withReferenceChecks<Result>(
    _ isOn: Bool,
    _ body: () throws -> Result
  ) throws -> Result {
    if isOn { return try body() }
    try execute("PRAGMA foreign_keys = OFF")
    defer {
      do {
        try execute("PRAGMA foreign_keys = ON")
      } catch {
        // A connection that does not check references must not write again.
        spoil()
      }
    }
    return try body()
  }

  /// Ends the open transaction, if SQLite has not done so itself after an error.
  private func rollBack() {
    inexactRows = InexactRows()
    guard !isInAutocommit else { return }
    do {
      try runCached("ROLLBACK")
    } catch {
      // A connection that cannot even roll back must not be used again.
      noteFailure(SQLiteError(extendedCode: SQLITE_IOERR, message: "the rollback failed"))
    }
  }

  private func runCached(_ sql: String) throws {
    try withStatement(sql) { try $0.run() }
  }

  /// Moves the log's pages into the database file and empties the log.
  ///
  /// Only ever called under the sidecar lock, which keeps all commits and checkpoints of the
  /// store's processes apart.
  ///
  /// - Parameter keepsLength: Whether the file of the log stays as long as it is, for what comes next
  ///   to be written over what counts no more.
  /// - Returns: Whether the log is empty now; a reader on an older state keeps it.
  @discardableResult
  func checkpoint(keepsLength: Bool = false) -> Bool {
    // A reader that is still on an old state is no reason to make the writer wait.
    sqlite3_busy_timeout(handle, 0)
    defer { sqlite3_busy_timeout(handle, options.busyTimeout) }
    guard mayFold, (try? beginSyncedFold()) != nil else { return false }
    defer { endSyncedFold() }
    let mode = keepsLength ? SQLITE_CHECKPOINT_RESTART : SQLITE_CHECKPOINT_TRUNCATE
    let code = sqlite3_wal_checkpoint_v2(handle, nil, mode, nil, nil)
    if code != SQLITE_OK { noteFailure(SQLiteError(connection: handle, code: code)) }
    if isSpoiled { options.file?.noteFailure() }
    return code == SQLITE_OK
  }

  /// Has the next fold synced, at any durability.
  ///
  /// A fold replaces the log, in which other programs may have saves that they were promised. Only a
  /// store that was never opened but without durability needs no syncs (``Metadata/Key/unsynced``).
  func beginSyncedFold() throws {
    guard options.synchronous == .off, options.file != nil else { return }
    guard try Metadata.integer(.unsynced, from: self) == nil else { return }
    try execute("PRAGMA synchronous = NORMAL")
  }

  private func endSyncedFold() {
    guard options.synchronous == .off, options.file != nil else { return }
    try? execute("PRAGMA synchronous = OFF")
  }
}

/// A commit that did not return a success, so that the outcome may be in doubt.
struct CommitFailure: Error, Sendable {
  let cause: SQLiteError

  /// Whether the changes may be in the file although the commit failed.
  ///
  /// A lock that was not had and a reference that leads nowhere are found before anything is
  /// written.
  var outcomeIsUnknown: Bool {
    switch cause.kind {
    case .busy, .constraint: false
    default: true
    }
  }
}
