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
    if case .file(let file) = self { return file.path }
    return nil
  }
}

/// A database file, its folder and its lock.
///
/// Only SQLite ever opens the file once it is made: a close of any other descriptor would drop the
/// locks of every connection of this process (SQLite's page *How To Corrupt*, 2.2).
struct DatabaseFile: Sendable {
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
    if let objection = FileName.objection(to: parts.name) {
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
      exclusively: !PlantedFault.deferredBegin.isPlanted,
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

  /// Cuts the log to the transactions that count, for good where it is synced.
  ///
  /// Only the holder of the lock may do so, and only to the length that the log's index gives.
  func cutLog(to size: Int, isSynced: Bool) throws(FileError) {
    guard let log = try folder.openIfPresent(logName, for: .updating) else { return }
    if try log.status().size > size { try log.truncate(to: size) }
    if isSynced { try log.sync() }
  }

  /// Whether there is a log with something in it.
  func hasLog() throws(FileError) -> Bool {
    try folder.status(of: logName).map { $0.size > 0 } ?? false
  }

  /// Writes the log's bytes once more and brings them to the medium.
  ///
  /// What was found may be in the system's memory alone, after a sync that failed in a process that
  /// has ended: the system drops what it could not write and says nothing of it to the next one, and
  /// a save behind such bytes would be lost with them (RELIABILITY.md, finding 5). Only a connection
  /// that keeps all writers away may do so.
  func renewLog() throws(FileError) {
    let log = try folder.open(logName, for: .updating)
    let size = try log.status().size
    var offset = 0
    while offset < size {
      let bytes = try log.bytes(at: offset, count: min(1 << 20, size - offset))
      try log.write(bytes, at: offset)
      offset += bytes.count
    }
    try log.sync()
  }

  /// The log is no part of what SQLite locks, so that it may be opened here as well.
  private var logName: String { name + "-wal" }

  private func notPlain(_ name: String) -> DataStoreError {
    DataStoreError(
      .storeNotTrusted,
      "the name is a link, a folder or a device, or has other names as well",
      file: folder.path(of: name)
    )
  }
}
