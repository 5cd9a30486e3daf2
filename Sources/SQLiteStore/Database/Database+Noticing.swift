import StoreProtocol

/// The last save that a database has noticed.
struct NoticedSave {
  /// The number of the save.
  var number: Int64
  /// The mark of the log before the number was read, or after the save, or `nil` without a log.
  var mark: LogIndex.Mark?
}

extension Database {
  /// The number of the last save of any process, or `nil` if it cannot be determined.
  ///
  /// Without saves of other processes since the last call, this compares a few bytes in memory.
  /// Otherwise it takes one statement.
  var latestSave: Int64? {
    let last = noticed.withLock { $0 }
    // A held reader sees an earlier state, and a failed commit must be rolled back first.
    guard let file, !options.isImmutable, held.current == nil,
      !hasIndeterminateCommit.load(ordering: .acquiring)
    else { return last?.number }
    let number = try? used(.reading) { () -> Int64? in
      try checkProcess()
      let reader = try takeReader(file)
      defer { returnReader(reader) }
      let mark = reader.logMark
      if let last, let mark, last.mark == mark { return last.number }
      let number = try HistoryTable.saves(on: reader)
      notice(NoticedSave(number: number, mark: mark))
      return number
    }
    return number ?? last?.number
  }

  /// Notes the last save, as of a connection between two saves.
  func noticeSave(on connection: Connection) {
    let mark = connection.logMark
    guard let number = try? HistoryTable.saves(on: connection) else { return }
    notice(NoticedSave(number: number, mark: mark))
  }

  /// Notes a save that a connection has just committed, under the lock.
  func noticeOwnSave(of connection: Connection) {
    notice(NoticedSave(number: connection.save, mark: connection.logMark))
  }

  private func notice(_ save: NoticedSave) {
    noticed.withLock { noticed in
      if save.number >= noticed?.number ?? 0 { noticed = save }
    }
  }
}
