import Foundation
import StoreFiles
import StoreProtocol

/// A database file, its folder and its lock.
///
/// Once the file exists, only SQLite and the ``DatabaseHold`` open it: closing any other descriptor
/// would drop SQLite's locks (its page *How To Corrupt*, 2.2).
final class DatabaseFile: Sendable {
  let folder: Folder
  let name: String

  /// The path without symbolic links, as SQLite gets it.
  let path: String

  let log: LogFile

  /// The name of the log's index.
  let indexName: String

  /// The time to wait for another writer, in milliseconds.
  let patience: Int

  /// Opens the folder of a file, and creates it if `makesFolder` is true.
  ///
  /// A symbolic link to the file is followed here, and only here.
  init(
    path: String,
    makesFolder: Bool,
    patience: Int,
    access: any FileAccess = SystemFileAccess()
  ) throws {
    let path = FileName.withoutLink(path)
    let parts = FileName.split(path)
    if let objection = FileName.objection(toPath: path) {
      throw DataStoreError(.invalidConfiguration, objection, file: path)
    }
    folder = try Folder(path: parts.folder, create: makesFolder, access: access)
    name = parts.name
    log = LogFile(of: name, in: folder)
    indexName = name + "-shm"
    self.patience = patience
    // The folder's links are followed once, here; SQLite is told to follow none.
    let folderPath = try Self.resolved(parts.folder, of: "the folder")
    self.path = folderPath == "/" ? "/" + parts.name : folderPath + "/" + parts.name
  }

  /// Returns a path without symbolic links.
  static func resolved(_ path: String, of name: String) throws -> String {
    guard let resolved = realpath(path, nil) else {
      throw DataStoreError(.io, "\(name)'s path cannot be resolved", file: path)
    }
    defer { free(resolved) }
    return String(cString: resolved)
  }

  /// Takes the lock that separates the commits and checkpoints of all processes, and waits for another
  /// holder for at most a time in milliseconds.
  func lock(waiting patience: Int) throws -> StoreLock {
    try StoreLock(
      of: name,
      in: folder,
      waitingMilliseconds: patience
    )
  }

  /// Returns the file's status, or `nil` if there is no file.
  ///
  /// - Throws: ``DataStoreError/storeNotTrusted`` if the name, or one of SQLite's companion names,
  ///   is not a regular file with one name.
  func status() throws -> FileStatus? {
    for companion in FileName.companions {
      guard let objection = try folder.status(of: name + companion)?.objection else { continue }
      throw notPlain(name + companion, objection)
    }
    guard let status = try folder.status(of: name) else { return nil }
    if let objection = status.objection {
      let own =
        status.isRegularFile ? try folder.temporaryNameCount(of: name, for: status) : 0
      guard status.isRegularFile, status.links == own + 1 else { throw notPlain(name, objection) }
    }
    if let objection = try folder.extent(of: name)?.objectionToMount(path) { throw objection }
    return status
  }

  /// Creates the empty file with its mode, before any connection exists.
  func create() throws {
    do {
      let file = try folder.open(name, for: .creating)
      try file.sync()
    }
    try folder.sync()
  }

  /// Whether there is a log with transactions, or an index of a log, which a writer may have open.
  func hasLogOrIndex() throws(FileError) -> Bool {
    if try folder.extent(of: indexName) != nil { return true }
    return try log.hasBytes()
  }

  /// Waits a little for another process.
  ///
  /// - Returns: The minimum time that it waited, in milliseconds.
  func pause() -> Int {
    usleep(5_000)
    return 5
  }

  private func notPlain(_ name: String, _ objection: Int32) -> any Error {
    let error = FileError(.status, path: folder.path(of: name), code: objection)
    return StoreErrors.translated(error, .opening, file: error.path)
  }
}
