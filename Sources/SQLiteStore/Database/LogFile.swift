import StoreFiles

/// The file of a database's write-ahead log.
///
/// The log is no part of what SQLite locks, so that it may be opened here as well.
struct LogFile: Sendable {
  /// How much of a log is in memory at a time: the system holds a file in pieces of at most so many
  /// bytes, and gives up whole pieces only.
  static let chunkSize = 8 << 20
  /// How much is written at a time.
  private static let writeSize = 1 << 20

  let folder: Folder
  let name: String

  /// The log of a database file.
  init(of database: String, in folder: Folder) {
    self.folder = folder
    self.name = database + "-wal"
  }

  /// Whether there is a log with something in it.
  func hasBytes() throws(FileError) -> Bool {
    try folder.status(of: name).map { $0.size > 0 } ?? false
  }

  /// Which file the log's name leads to, and its size; nil where there is none.
  func extent() throws(FileError) -> FileExtent? {
    try folder.extent(of: name)
  }

  /// Cuts the log to the transactions that count, for good where it is synced.
  ///
  /// Only the holder of the lock may do so, and only to the length that the log's index gives.
  func cut(to size: Int, isSynced: Bool) throws(FileError) {
    guard let log = try folder.openIfPresent(name, for: .updating) else { return }
    if try log.status().size > size { try log.truncate(to: size) }
    if isSynced { try log.sync() }
  }

  /// Brings the log to stable storage.
  func sync() throws(FileError) {
    try folder.openIfPresent(name, for: .updating)?.sync()
  }

  /// Writes the frames of the log once more and brings them to stable storage.
  ///
  /// What was found may be in the system's memory alone, after a sync that failed: the system drops
  /// what it could not write and says nothing of it to the next one, and a save behind such bytes
  /// would be lost with them (RELIABILITY.md, finding 5). Only a connection that keeps all writers
  /// away may do so.
  ///
  /// - Parameter forgets: Whether to have the system forget the bytes first, without which writing
  ///   them again may be in vain (see `DatabaseFile+Renewal.swift`); readers must be kept away then.
  /// - Throws: `FileError` when the system refuses. Of what no sync had brought to the medium before,
  ///   parts may be missing from the log then, as after a kill of the process.
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
          // The rest is forgotten already, and nobody else has it.
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
