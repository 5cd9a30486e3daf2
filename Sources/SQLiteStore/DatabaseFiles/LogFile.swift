import StoreFiles

/// The file of a database's write-ahead log.
///
/// SQLite takes no locks on the log, so it may be opened here as well.
struct LogFile: Sendable {
  /// The number of bytes of a log that are in memory at a time.
  ///
  /// The system keeps a file in pieces of at most this size, and drops whole pieces only.
  static let chunkSize = 8 << 20
  /// The number of bytes that are written at a time.
  private static let writeSize = 1 << 20

  let folder: Folder
  let name: String

  init(of database: String, in folder: Folder) {
    self.folder = folder
    self.name = database + "-wal"
  }

  /// Whether there is a log that is not empty.
  func hasBytes() throws(FileError) -> Bool {
    try folder.status(of: name).map { $0.size > 0 } ?? false
  }

  /// Truncates the log to its valid transactions, durably if it is synced.
  ///
  /// Only the holder of the lock may do so, and only to the length that the log's index gives.
  func cut(to size: Int, isSynced: Bool) throws(FileError) {
    guard let log = try folder.openIfPresent(name, for: .updating) else { return }
    if try log.status().size > size { try log.truncate(to: size) }
    if isSynced { try log.sync() }
  }

  /// Writes the log to stable storage.
  func sync() throws(FileError) {
    try folder.openIfPresent(name, for: .updating)?.sync()
  }

  /// Writes the frames of the log once more, to stable storage.
  ///
  /// After a failed sync, the frames that were found may be in the system's memory alone. The
  /// system drops what it could not write and does not report it to the next sync. A later save
  /// would be lost with such bytes (Documentation/Durability.md). Only a connection that keeps out
  /// all writers may do so.
  ///
  /// - Parameter forgets: Whether the system first drops the bytes from memory. Without that,
  ///   writing them again may be in vain (see `DatabaseFile+Renewal.swift`); readers must be kept
  ///   out then.
  /// - Throws: `FileError` if the system refuses. Frames that no sync had brought to disk before
  ///   may then be missing from the log, as after a kill of the process.
  func renew(forgets: Bool) throws(FileError) {
    guard let log = try folder.openIfPresent(name, for: .updating) else { return }
    let size = try LogFrames(of: log).end
    var offset = 0
    while offset < size {
      let bytes = try log.bytes(at: offset, count: min(Self.chunkSize, size - offset))
      if forgets { log.forget(at: offset, count: Self.chunkSize) }
      var failure: FileError?
      for start in stride(from: 0, to: bytes.count, by: Self.writeSize) {
        let end = min(start + Self.writeSize, bytes.count)
        do throws(FileError) {
          try log.write(Array(bytes[start..<end]), at: offset + start)
        } catch {
          // The rest is dropped from memory already, and no other copy of it exists.
          failure = error
        }
      }
      if let failure { throw failure }
      offset += bytes.count
    }
    try log.sync()
  }

  /// The frames of the log, or `nil` if there is no log.
  func frames() throws(FileError) -> LogFrames? {
    guard let log = try folder.openIfPresent(name, for: .reading) else { return nil }
    return try LogFrames(of: log)
  }
}
