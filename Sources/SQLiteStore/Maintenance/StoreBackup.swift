import CSQLite
import Foundation
import StoreFiles
import StoreProtocol

/// Copies one state of a store to a place where there is nothing, while others read and save.
///
/// The copy is written under a temporary name, checked, brought to the medium, and then named.
struct StoreBackup {
  /// How many pages are copied at a time.
  private static let pagesAtOnce: Int32 = 256

  let target: DatabaseFile

  /// Copies the state that a connection sees, which must be in a transaction.
  ///
  /// - Throws: ``DataStoreError/io`` when the system refuses or something is there already,
  ///   ``DataStoreError/storeDamaged`` when the store is not whole; then nothing is left there.
  func make(from source: Connection, _ map: SchemaMap) throws {
    try StoreErrors.translating(.copying, file: target.path) {
      let place = try NewStorePlace(
        target.name,
        in: target.folder,
        companions: DatabaseFile.companions
      )
      do {
        try copyPages(of: source, to: place)
        if let files = source.options.files {
          try place.copy(FileColumns.references(map, on: source), from: files)
        }
        try place.publish()
      } catch {
        place.withdraw()
        throw error
      }
    }
  }

  private func copyPages(of source: Connection, to place: NewStorePlace) throws {
    let copy = try Connection(
      ConnectionOptions(
        location: .file(
          String(target.path.dropLast(target.name.count)) + place.temporaryName
        ),
        synchronous: .off,
        fileSystem: source.options.fileSystem
      )
    )
    defer { copy.close() }
    // Nobody else has the file: no lock, no index of a log, no journal on the disk.
    _ = try copy.text("PRAGMA locking_mode = EXCLUSIVE")
    _ = try copy.text("PRAGMA journal_mode = MEMORY")
    try copyPages(of: source, to: copy)
    copy.allowCheckpointAtClose()
    guard try copy.text("PRAGMA integrity_check(1)") == "ok" else {
      throw DataStoreError(
        .storeDamaged,
        "the store is not whole and was not copied; verify it to see what is wrong"
      )
    }
  }

  private func copyPages(of source: Connection, to copy: Connection) throws {
    guard let backup = sqlite3_backup_init(copy.handle, "main", source.handle, "main") else {
      throw SQLiteError(connection: copy.handle, code: SQLITE_ERROR)
    }
    var code: Int32
    repeat {
      source.options.log?.statementStepped()
      code = sqlite3_backup_step(backup, Self.pagesAtOnce)
    } while code == SQLITE_OK
    let end = sqlite3_backup_finish(backup)
    guard code == SQLITE_DONE, end == SQLITE_OK else {
      let error = SQLiteError(connection: copy.handle, code: code == SQLITE_DONE ? end : code)
      source.noteFailure(error)
      throw error
    }
  }
}
