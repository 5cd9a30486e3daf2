import CSQLite
import StoreFiles

// A sync that fails leaves a file in memory as it was written, and says nothing to the next sync
// (RELIABILITY.md, finding 5). So what failed is written once more before anything is built upon it.
//
// Since Linux 6.15 that is not enough on ext4: blocks which a file got for bytes that could not be
// written stay marked as never written, while the pages in memory know nothing of it. What is written
// over such pages reaches the disk, every sync succeeds, and when the file is read from the disk again
// there are zeros. Only blocks that are given back, or pages that are forgotten, are safe to write to:
// - a commit that failed is cut off the log, which gives its blocks back;
// - a log that was found is forgotten as it is written anew;
// - a fold that failed gives back what the database file had grown by, and forgets nothing: the log
//   has all of it.

extension Connection {
  /// Makes sure that a fold has only files under it that reach the medium.
  ///
  /// SQLite's index of the log says when a fold was begun and did not end well, in this process or
  /// another, and after a recovery. The log is made certain first, and then the database file is cut
  /// to where pages begin that the log has all of.
  ///
  /// Only ever called under the sidecar lock.
  ///
  /// - Returns: False where somebody reads just now, or the system refuses.
  func isReadyToFold() -> Bool {
    guard options.synchronous != .off, let log = options.logFile, hasLogOpen,
      let index = logIndex, distrustsFiles || isSpoiled || index.hasUnfinishedFold
    else { return true }
    do {
      // The log of another database may have its name by now.
      guard !hasMoved, try withoutOthers({ try unfold(log) }) != nil else { return false }
      distrustsFiles = false
      return true
    } catch {
      spoil()
      return false
    }
  }

  /// Brings a log that was found to the medium, whoever left it.
  ///
  /// Only ever called under the sidecar lock.
  func renew(_ log: LogFile) throws {
    let isDone: Void? = try withoutOthers {
      if logIndex?.hasUnfinishedFold == true { try unfold(log) } else { try renewExclusively(log) }
    }
    if isDone != nil { return }
    // Whoever reads just now has pages of the log in use, but none behind its end.
    try withWriteLock {
      if let index = logIndex { try log.cut(to: index.logSize, isSynced: false) }
      try log.renew(forgets: false)
    }
  }

  /// Runs a body while nobody reads, writes or folds; see ``LogIndex/withAllLocks(of:_:)``.
  func withoutOthers<Result>(_ body: () throws -> Result) rethrows -> Result? {
    guard hasLogOpen else { return nil }
    return try LogIndex.withAllLocks(of: handle, body)
  }

  /// Whether the connection has a log, between transactions: a file whose making was cut off may have
  /// none yet, and a journal is open within transactions alone.
  private var hasLogOpen: Bool { SQLiteFile(logOf: handle) != nil }

  /// Whether the database file is no longer the one of its name.
  private var hasMoved: Bool {
    var answer: Int32 = 0
    let code = sqlite3_file_control(handle, "main", SQLITE_FCNTL_HAS_MOVED, &answer)
    return code == SQLITE_OK && answer != 0
  }

  private func renewExclusively(_ log: LogFile) throws {
    if let index = logIndex { try log.cut(to: index.logSize, isSynced: false) }
    try log.renew(forgets: true)
  }

  private func unfold(_ log: LogFile) throws {
    guard let index = logIndex, let file = SQLiteFile(of: handle) else { return }
    let pages = try log.pages(upTo: index)
    try renewExclusively(log)
    let size = try file.size()
    var end = (size + index.pageSize - 1) / index.pageSize
    // A file of no bytes would be a new one for SQLite, which then removes the log.
    while end > 1, pages.contains(end) || end == index.lockPage { end -= 1 }
    // Before the cut, so that nobody takes pages for folded that are cut.
    LogIndex.forgetFolds(of: handle, asBegun: true)
    if end * index.pageSize < size { try file.truncate(to: end * index.pageSize) }
    LogIndex.forgetFolds(of: handle, asBegun: false)
  }
}
