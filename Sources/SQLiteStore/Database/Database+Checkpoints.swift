import StoreFiles
import StoreProtocol

// When the log is checkpointed: if it is long, when the database is closed, and if another program
// removed the log's name. SQLite would checkpoint any log under any name.

extension Database {
  /// Throws if the files at the path are no longer the ones that were opened.
  func checkFile(_ file: DatabaseFile) throws {
    guard let opened else { return }
    guard try opened.database(file) == .same else { throw StoreErrors.replaced(file.path) }
    guard try opened.hasLogInPlace(file) else { throw StoreErrors.lostLog(file.path) }
  }

  /// Throws if the files at the path are no longer the ones that were opened, or are shorter than
  /// they were.
  ///
  /// Earlier saves are in the log that the connection has open. They are checkpointed if no other
  /// process can have written to the database file since.
  func checkFiles(_ file: DatabaseFile, writingOn connection: Connection) throws {
    let counted = connection.logIndex
    guard let opened, try !opened.areInPlace(file, counted) else { return }
    guard try opened.database(file, counted) == .same else {
      throw StoreErrors.replaced(file.path)
    }
    let log = try opened.log(file, counted)
    let index = try opened.index(file)
    if log == .same, index == .same { return }
    if Self.mayCheckpoint(log, index) { connection.checkpoint(keepsLength: true) }
    throw StoreErrors.lostLog(file.path)
  }

  /// Ensures that a commit is in the log that others find, or in the database file.
  ///
  /// - Throws: ``DataStoreError/outcomeUnknown`` if the log was removed during the commit and could
  ///   not be checkpointed, or if the database file was truncated.
  func confirmLog(_ file: DatabaseFile, on connection: Connection) throws {
    let counted = connection.logIndex
    guard let opened, (try? opened.areInPlace(file, counted, withIndex: false)) != true else {
      return
    }
    // Only the file itself is checked for truncation; a replacement is found before the next save.
    if (try? opened.database(file, counted)) == .other,
      (try? opened.database(file)) == .same
    {
      throw StoreErrors.unknown(file.path, cause: StoreErrors.replaced(file.path))
    }
    // If the system gives no information: the log was in its place when the save began.
    guard let log = try? opened.log(file, counted), log != .same else { return }
    if let index = try? opened.index(file), Self.mayCheckpoint(log, index),
      connection.checkpoint(keepsLength: true)
    {
      return
    }
    throw StoreErrors.unknown(file.path, cause: StoreErrors.lostLog(file.path))
  }

  /// Whether an open log may be checkpointed, judging by the names of the log and its index.
  ///
  /// A process that made another index, or wrote to another log, may have written to the database
  /// file as well. What this process has cached of the log is useless then.
  private static func mayCheckpoint(
    _ log: OpenedFiles.OpenedFileStatus,
    _ index: OpenedFiles.OpenedFileStatus
  ) -> Bool {
    log != .other && (index == .same || index == .absent)
  }

  /// Checkpoints a log that has grown long, or whose saves have to be made durable.
  func checkpointLongLog(_ slot: WriterSlot, _ file: DatabaseFile) {
    let connection = slot.connection
    guard !connection.isUnusable else { return }
    let isKept = connection.logPageCount <= Self.longestKeptLog
    if checkpoint(slot, file, keepsLength: isKept) {
      slot.logPagesToWaitFor = 0
    } else if !slot.connection.mayCheckpoint {
      // Connections are not closed in vain for each save.
      slot.logPagesToWaitFor = connection.logPageCount + Self.longestLog
    }
  }

  /// Checkpoints the log; after a failure, through connections that are opened anew.
  ///
  /// - Returns: Whether the whole log is in the database file.
  @discardableResult
  func checkpoint(_ slot: WriterSlot, _ file: DatabaseFile, keepsLength: Bool = false) -> Bool {
    prepareCheckpoint(slot, file)
    guard slot.connection.checkpoint(keepsLength: keepsLength) else { return false }
    files?.noteDurable()
    return true
  }

  /// Closes all connections, rewrites the log if no other process has the database open, and
  /// reopens the writer.
  ///
  /// SQLite reads the log anew for the new connection. While another connection reads, in this
  /// process or another, the log is not checkpointed. It grows, and no save needs the checkpoint.
  private func reopenAlone(_ slot: WriterSlot, _ file: DatabaseFile) {
    guard let opened, opened.hold.connectedCount == 1, (try? checkFile(file)) != nil else { return }
    closeIdleReaders()
    slot.closeUnusable()
    let isAlone = (try? file.renewLog(opened.hold, isHeld: true)) == true
    try? opened.hold.withoutIndexLock(of: file) {
      let connection = try slot.usableConnection()
      connection.mustCheckLog = !isAlone
    }
  }

  /// Rewrites the log if a failure came before.
  func prepareCheckpoint(_ slot: WriterSlot, _ file: DatabaseFile) {
    if !slot.connection.mayCheckpoint { reopenAlone(slot, file) }
  }

  /// Lets SQLite checkpoint and remove the log when the last connection is closed, if it is the log
  /// that others find.
  ///
  /// SQLite removes the log by name, whatever file has it.
  func enableCheckpointAtClose(_ file: DatabaseFile) {
    writer.withConnection { connection in
      guard let opened, let database = try? opened.database(file),
        let log = try? opened.log(file, connection.logIndex), let index = try? opened.index(file),
        Self.mayCheckpoint(log, index)
      else { return }
      if database == .same || log != .empty {
        connection.allowCheckpointAtClose()
      } else {
        connection.checkpoint(keepsLength: true)
      }
    }
  }
}
