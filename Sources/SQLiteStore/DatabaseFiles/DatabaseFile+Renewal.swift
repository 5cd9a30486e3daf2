import StoreFiles

// A sync that fails leaves a file in memory as it was written, and the next sync reports nothing
// (Documentation/Durability.md). So what failed is written again before anything is built on it.
//
// Since Linux 6.15 that is not enough on ext4. Blocks that a file got for bytes that could not be
// written stay marked as never written, while the pages in memory do not record that. Data written
// over such pages reaches the disk and every sync succeeds. When the file is read from the disk
// again, there are zeros. Only freed blocks, or pages dropped from memory, are safe to write to:
// - a failed commit is truncated off the log, which frees its blocks;
// - a log that was found is dropped from memory as it is rewritten;
// - the database file's pages that are in the log are dropped with it.
//
// Pages may be dropped while no connection reads them. So it is done while no connection has the
// database open: when it is opened, and by a store that closes its connections for a moment
// (`Database+Checkpoints.swift`). SQLite then rebuilds its index of the log, and the next checkpoint
// writes all of it.
//
// A process that meets a failure tells the others by the length of the lock file, which lasts as
// long as the memory in question. A checkpoint that a kill interrupted is no failure; any process
// repeats it.

extension DatabaseFile {
  /// Writes a log that was left behind to stable storage, while no connection has the database
  /// open.
  ///
  /// - Parameters:
  ///   - hold: The hold on the database, without a connection.
  ///   - isHeld: Whether the hold has its locks, and keeps them.
  /// - Returns: Whether no connection had the database open.
  /// - Throws: `FileError` if the system refuses.
  func renewLog(_ hold: DatabaseHold, isHeld: Bool) throws -> Bool {
    try hold.alone(isHeld: isHeld) { try renewLog(hold) } != nil
  }

  private func renewLog(_ hold: DatabaseHold) throws {
    guard let frames = try log.frames(), frames.end > 0 else { return try forgetFailure() }
    // Pages that cannot be written are in the log, and pages that are written can be dropped.
    let database = try hold.open()
    try? database.sync()
    for chunk in Set(frames.pages.map { ($0 - 1) * frames.pageSize / LogFile.chunkSize }) {
      database.forget(at: chunk * LogFile.chunkSize, count: LogFile.chunkSize)
    }
    try log.renew(forgets: true)
    try forgetFailure()
  }

  /// The length of the lock file that says that a write has failed; no message in it is as long.
  private static let failureLength = 4_096

  /// Whether a process has noted a failure since the log was last rewritten.
  var hasNotedFailure: Bool {
    get throws(FileError) {
      try folder.extent(of: FileName.lock(of: name)).map { $0.size >= Self.failureLength } ?? false
    }
  }

  /// Tells all processes that have the database open that a write to the log or the database file
  /// failed.
  func noteFailure() {
    // If even that fails, no other process can write either.
    try? folder.openIfPresent(FileName.lock(of: name), for: .updating)?
      .truncate(to: Self.failureLength)
  }

  /// Removes the note, once the log was rewritten.
  func forgetFailure() throws(FileError) {
    guard try hasNotedFailure else { return }
    try folder.openIfPresent(FileName.lock(of: name), for: .updating)?.truncate(to: 0)
  }
}
