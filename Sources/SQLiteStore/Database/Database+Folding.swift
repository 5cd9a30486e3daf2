import StoreFiles
import StoreProtocol

// When the log is folded into the database file: where it is long, when the database is closed, and
// where another program took the log's name away. SQLite would fold any log under any name.

extension Database {
  /// Refuses to read or write files that are no longer the ones at the path.
  func checkFile(_ file: DatabaseFile) throws {
    guard let opened else { return }
    guard try opened.database(file) == .same else { throw StoreErrors.replaced(file.path) }
    guard try opened.hasLogInPlace(file) else { throw StoreErrors.lostLog(file.path) }
  }

  /// Refuses a save to files that are no longer the ones at the path, or are shorter than they were.
  ///
  /// What was saved before is in the log that the connection has open, and is brought into the database
  /// file where nobody else can have written to it since.
  func checkFiles(_ file: DatabaseFile, writingOn connection: Connection) throws {
    guard let opened else { return }
    let counted = connection.logIndex
    guard try opened.database(file, counted) == .same else {
      throw StoreErrors.replaced(file.path)
    }
    let log = try opened.log(file, counted)
    let index = try opened.index(file)
    if log == .same, index == .same { return }
    if Self.mayFold(log, index) { connection.checkpoint(keepsLength: true) }
    throw StoreErrors.lostLog(file.path)
  }

  /// Makes sure that a commit is in the log that others find, or in the database file.
  ///
  /// - Throws: ``DataStoreError/outcomeUnknown`` if the log was taken away during the commit, and what
  ///   is in it could not be brought into the database file, or if the database file was cut off.
  func confirmLog(_ file: DatabaseFile, on connection: Connection) throws {
    guard let opened else { return }
    let counted = connection.logIndex
    // The file itself, cut off; another one in its place is found before the next save.
    if (try? opened.database(file, counted)) == .other,
      (try? opened.database(file)) == .same
    {
      throw StoreErrors.unknown(place.path, cause: StoreErrors.replaced(file.path))
    }
    // Where the system does not say, the log was in its place when the save began.
    guard let log = try? opened.log(file, counted), log != .same else { return }
    if let index = try? opened.index(file), Self.mayFold(log, index),
      connection.checkpoint(keepsLength: true)
    {
      return
    }
    throw StoreErrors.unknown(place.path, cause: StoreErrors.lostLog(file.path))
  }

  /// Whether a log that is open may be folded, as the names of the log and its index stand.
  ///
  /// Who made another index, or wrote to another log, may have written to the database file as well:
  /// what this process knows of the log is of no use then.
  private static func mayFold(
    _ log: OpenedFiles.Standing,
    _ index: OpenedFiles.Standing
  ) -> Bool {
    log != .other && (index == .same || index == .absent)
  }

  /// Folds the log where it is long.
  func foldLogIfLong(_ slot: WriterSlot, _ file: DatabaseFile) {
    let connection = slot.connection
    guard !connection.isSpoiled,
      connection.logPageCount > max(Self.longestLog, slot.logPagesToWaitFor)
        || files?.shouldBecomeDurable == true
    else { return }
    let isKept = connection.logPageCount <= Self.longestKeptLog
    if fold(slot, file, keepsLength: isKept) {
      slot.logPagesToWaitFor = 0
    } else if !slot.connection.mayFold {
      // Connections are not closed for each save in vain.
      slot.logPagesToWaitFor = connection.logPageCount + Self.longestLog
    }
  }

  /// Folds the log, after a failure through connections that are opened anew.
  ///
  /// - Returns: Whether all of the log is in the database file.
  @discardableResult
  func fold(_ slot: WriterSlot, _ file: DatabaseFile, keepsLength: Bool = false) -> Bool {
    prepareToFold(slot, file)
    guard slot.connection.checkpoint(keepsLength: keepsLength) else { return false }
    files?.noteDurable()
    return true
  }

  /// Closes all connections, makes the log certain where nobody else has the database open, and opens
  /// the writer again, for which SQLite counts the log anew.
  ///
  /// Where somebody reads, in this process or another, the log stays unfolded until nobody does: it
  /// grows, and no save needs it to be folded.
  private func reopenAlone(_ slot: WriterSlot, _ file: DatabaseFile) {
    guard let opened, opened.hold.connectedCount == 1, (try? checkFile(file)) != nil else { return }
    closeIdleReaders()
    slot.closeSpoiled()
    let isAlone = (try? file.renewLog(opened.hold, isHeld: true)) == true
    try? opened.hold.withoutIndexLock(of: file) {
      let connection = try slot.usableConnection()
      connection.distrustsLog = !isAlone
    }
  }

  /// Makes the log certain, if a failure came before.
  func prepareToFold(_ slot: WriterSlot, _ file: DatabaseFile) {
    if !slot.connection.mayFold { reopenAlone(slot, file) }
  }

  /// Lets SQLite fold and remove the log when the last connection is closed, if the log is the one that
  /// others find: SQLite removes by name whatever is there.
  func letFoldAtClose(_ file: DatabaseFile) {
    writer.withConnection { connection in
      guard let opened, let database = try? opened.database(file),
        let log = try? opened.log(file, connection.logIndex), let index = try? opened.index(file),
        Self.mayFold(log, index)
      else { return }
      if database == .same || log != .empty {
        connection.allowCheckpointAtClose()
      } else {
        connection.checkpoint(keepsLength: true)
      }
    }
  }
}
