import Foundation
import StoreFiles
import StoreProtocol

/// Copies one state of a store to a path where no file exists, while others read and save.
///
/// The copy is written under a temporary name, checked, written to stable storage, and then
/// renamed.
struct StoreBackup {
  private let target: DatabaseFile

  /// Creates a copy at a path of an existing folder.
  ///
  /// - Throws: ``DataStoreError/invalidConfiguration`` if the URL is no file URL,
  ///   ``DataStoreError/io`` if the system refuses.
  init(to url: URL, access: any FileAccess) throws {
    guard url.isFileURL else {
      throw DataStoreError(
        .invalidConfiguration,
        "a copy of a SQLite store needs a file URL, not \(url.scheme ?? "none")"
      )
    }
    target = try StoreErrors.translating(.copying, file: url.path) {
      try DatabaseFile(path: url.path, makesFolder: false, patience: 0, access: access)
    }
  }

  /// Copies the state that a connection sees, which must be in a transaction.
  ///
  /// - Throws: ``DataStoreError/io`` if the system refuses or a file exists there already,
  ///   ``DataStoreError/storeDamaged`` if the store is damaged; then nothing is left there.
  func make(from source: Connection, _ map: SchemaMap) throws {
    try StoreErrors.translating(.copying, file: target.path) {
      let destination = try NewStoreLocation(
        target.name,
        in: target.folder,
        companions: FileName.companions
      )
      do {
        try copyPages(of: source, to: destination)
        if let files = source.options.files {
          try destination.copy(FileColumns.references(map, on: source), from: files)
        }
        try destination.publish()
      } catch {
        destination.withdraw()
        throw error
      }
    }
  }

  private func copyPages(of source: Connection, to destination: NewStoreLocation) throws {
    let copy = try Connection(
      ConnectionOptions(
        location: .file(
          FileName.split(target.path).folder + "/" + destination.temporaryName
        ),
        synchronous: .off,
        fileSystem: source.options.fileSystem
      )
    )
    defer { copy.close() }
    // No other connection has the file: no lock, no index of a log, no journal on disk.
    _ = try copy.text("PRAGMA locking_mode = EXCLUSIVE")
    _ = try copy.text("PRAGMA journal_mode = MEMORY")
    do {
      try copy.takePages(of: source)
    } catch let error as SQLiteError {
      source.noteFailure(error)
      throw error
    }
    // A copy without a log does not fit a log that is left at a path to which it is restored, and
    // can be read where SQLite can create no files.
    _ = try copy.text("PRAGMA journal_mode = MEMORY")
    guard try copy.text("PRAGMA integrity_check(1)") == "ok" else {
      throw DataStoreError(
        .storeDamaged,
        "the store is damaged and was not copied; verify it to find the problems"
      )
    }
  }
}
