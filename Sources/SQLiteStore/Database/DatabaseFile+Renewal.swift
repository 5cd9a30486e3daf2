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
// - the pages of the database file that the log has are forgotten with it.
//
// Pages may be forgotten while nobody reads them. So it is done where nobody has the database open:
// when it is opened, and by a store that closes its connections for a moment (`Database+Folding.swift`).
// SQLite then builds its index of the log anew, and the next fold writes all of it.
//
// Whoever meets a failure says so to the others by the length of the lock file, which lasts as long as
// the memory that it is about. A fold that a kill cut off has failed nobody, and is done again by anyone.

extension DatabaseFile {
  /// Brings a log that was left behind to stable storage, while nobody has the database open.
  ///
  /// - Parameters:
  ///   - hold: The hold on the database, without a connection.
  ///   - isHeld: Whether the hold has its locks, and keeps them.
  /// - Returns: Whether nobody had the database open.
  /// - Throws: `FileError` when the system refuses.
  func renewLog(_ hold: DatabaseHold, isHeld: Bool) throws -> Bool {
    try hold.alone(isHeld: isHeld) { try renewLog(hold) } != nil
  }

  private func renewLog(_ hold: DatabaseHold) throws {
    guard let frames = try log.frames(), frames.end > 0 else { return try forgetFailure() }
    // What cannot be written is in the log, and what is written can be forgotten.
    try? hold.sync()
    for chunk in Set(frames.pages.map { ($0 - 1) * frames.pageSize / LogFile.chunkSize }) {
      try hold.forget(at: chunk * LogFile.chunkSize, count: LogFile.chunkSize)
    }
    try log.renew(forgets: true)
    try forgetFailure()
  }

  /// The length of the lock file that says that a write has failed; no text in it is as long.
  private static let failureLength = 4_096

  /// Whether somebody has noted a failure since the log was last made certain.
  var hasNotedFailure: Bool {
    get throws(FileError) {
      try folder.extent(of: FileName.lock(of: name)).map { $0.size >= Self.failureLength } ?? false
    }
  }

  /// Tells all who have the database open that a write to the log or to the database file has failed.
  func noteFailure() {
    // Where even that fails, nobody else can write either.
    try? folder.openIfPresent(FileName.lock(of: name), for: .updating)?
      .truncate(to: Self.failureLength)
  }

  /// Takes the note back, once the log was made certain.
  func forgetFailure() throws(FileError) {
    guard try hasNotedFailure else { return }
    try folder.openIfPresent(FileName.lock(of: name), for: .updating)?.truncate(to: 0)
  }
}
