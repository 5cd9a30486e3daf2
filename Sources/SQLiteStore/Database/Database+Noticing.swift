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
    // A failed commit must be rolled back first.
    guard let file, !options.isImmutable, !hasIndeterminateCommit.load(ordering: .acquiring)
    else { return last?.number }
    let number = try? used(.reading) { () -> Int64? in
      if let last, last.mark != nil, last.mark == idleMark { return last.number }
      // A held reader sees an earlier state.
      guard held.current == nil else { return nil }
      let reader = try takeReader(file)
      defer { returnReader(reader) }
      let mark = reader.logMark
      if let last, let mark, last.mark == mark { return last.number }
      let number = try HistoryTable.saves(on: reader)
      notice(number, at: mark)
      return number
    }
    return number ?? last?.number
  }

  /// Notes a save, with the mark of the log before its number was read, or after its commit.
  func notice(_ number: Int64, at mark: LogIndex.Mark?) {
    noticed.withLock { noticed in
      if number >= noticed?.number ?? 0 { noticed = NoticedSave(number: number, mark: mark) }
    }
  }
}
