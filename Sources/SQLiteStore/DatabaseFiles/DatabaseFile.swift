import Foundation
import StoreFiles
import StoreProtocol

/// A database file, its folder and its lock.
///
/// Once the file exists, only SQLite and the ``DatabaseHold`` open it: closing any other descriptor
/// would drop SQLite's locks (its page *How To Corrupt*, 2.2).
final class DatabaseFile: Sendable {
  /// The suffixes that SQLite appends to the name for files of its own.
  static let companions = ["-wal", "-shm", "-journal"]

  let folder: Folder
  let name: String

  /// The path without symbolic links, as SQLite gets it.
  let path: String

  /// The time to wait for another writer, in milliseconds.
  let patience: Int

  /// Opens the folder of a file, and creates it if `makesFolder` is true.
  init(
    path: String,
    makesFolder: Bool,
    patience: Int,
    access: any FileAccess = SystemFileAccess()
  ) throws {
    let parts = FileName.split(path)
    if let objection = FileName.objection(toPath: path) {
      throw DataStoreError(.invalidConfiguration, objection, file: path)
    }
    folder = try Folder(path: parts.folder, create: makesFolder, access: access)
    name = parts.name
    self.patience = patience
    // The folder's links are followed once, here; SQLite is told to follow none.
    guard let resolved = realpath(parts.folder, nil) else {
      throw DataStoreError(.io, "the folder's path cannot be resolved", file: parts.folder)
    }
    defer { free(resolved) }
    let folderPath = String(cString: resolved)
    self.path = folderPath == "/" ? "/" + parts.name : folderPath + "/" + parts.name
  }

  /// Takes the lock that separates the commits and checkpoints of all processes.
  func lock() throws -> StoreLock {
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
    for companion in Self.companions {
      guard let status = try folder.status(of: name + companion) else { continue }
      guard status.isRegularFile, status.links <= 1 else { throw notPlain(name + companion) }
    }
    guard let status = try folder.status(of: name) else { return nil }
    guard status.isRegularFile else { throw notPlain(name) }
    if let objection = try folder.extent(of: name)?.objectionToMount(path) { throw objection }
    if status.links > 1 {
      let own = try folder.temporaryNameCount(of: name, for: status)
      guard status.links == own + 1 else { throw notPlain(name) }
    }
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

  var log: LogFile { LogFile(of: name, in: folder) }

  /// The name of the log's index.
  var indexName: String { name + "-shm" }

  /// Waits a little for another process.
  ///
  /// - Returns: The minimum time that it waited, in milliseconds.
  func pause() -> Int {
    usleep(5_000)
    return 5
  }

  private func notPlain(_ name: String) -> DataStoreError {
    DataStoreError(
      .storeNotTrusted,
      "the path is a symbolic link, a folder, a device, or a file with several hard links",
      file: folder.path(of: name)
    )
  }
}
