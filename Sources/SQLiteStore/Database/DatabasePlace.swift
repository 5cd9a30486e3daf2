import Foundation
import StoreFiles
import StoreProtocol

/// Where a database lives, with what is needed to keep others away from it.
enum DatabasePlace: Sendable {
  /// In memory, on one connection.
  case memory

  /// In a file.
  case file(DatabaseFile)

  /// The path for messages, nil for a database in memory.
  var path: String? {
    file?.path
  }

  /// The file, nil for a database in memory.
  var file: DatabaseFile? {
    if case .file(let file) = self { return file }
    return nil
  }

  /// The same for a connection.
  var location: ConnectionOptions.Location {
    path.map { .file($0) } ?? .memory
  }
}

/// A database file, its folder and its lock.
///
/// Once the file is made, only SQLite and the ``DatabaseHold`` open it: closing any other descriptor
/// would drop SQLite's locks (its page *How To Corrupt*, 2.2).
final class DatabaseFile: Sendable {
  /// What SQLite puts behind the name for files of its own.
  static let companions = ["-wal", "-shm", "-journal"]

  let folder: Folder
  let name: String

  /// The path without symbolic links, as SQLite is given it.
  let path: String

  /// How long to wait for another writer, in milliseconds.
  let patience: Int

  /// Opens the folder of a file, making it where it may.
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

  /// Takes the lock that keeps the commits and checkpoints of all processes apart.
  func lock() throws -> StoreLock {
    try StoreLock(
      of: name,
      in: folder,
      waitingMilliseconds: patience
    )
  }

  /// What the system knows of the file, nil where there is none.
  ///
  /// - Throws: ``DataStoreError/storeNotTrusted`` when the name, or one that SQLite would use
  ///   beside it, is not a plain file with one name.
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

  /// Makes the empty file with its mode, before any connection exists.
  func create() throws {
    do {
      let file = try folder.open(name, for: .creating)
      try file.sync()
    }
    try folder.sync()
  }

  /// The log beside the file.
  var log: LogFile { LogFile(of: name, in: folder) }

  /// The name of the log's index.
  var indexName: String { name + "-shm" }

  /// Waits a little for another process.
  ///
  /// - Returns: How many milliseconds that took at least.
  func pause() -> Int {
    usleep(5_000)
    return 5
  }

  private func notPlain(_ name: String) -> DataStoreError {
    DataStoreError(
      .storeNotTrusted,
      "the name is a link, a folder or a device, or has other names as well",
      file: folder.path(of: name)
    )
  }
}
