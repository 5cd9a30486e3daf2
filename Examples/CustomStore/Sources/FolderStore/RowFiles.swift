import Foundation
import StoreProtocol

/// The files of a folder: `store.json`, `save.json`, and `rows/` with one file for each row.
final class RowFiles: Sendable {
  private let folder: URL
  private let beforeStep: @Sendable () throws -> Void
  private let lock: Int32

  private var rows: URL { folder.appending(path: "rows") }

  init(_ configuration: FolderStoreConfiguration) throws {
    folder = configuration.folder
    beforeStep = configuration.beforeStep
    let rows = configuration.folder.appending(path: "rows")
    try FileManager.default.createDirectory(at: rows, withIntermediateDirectories: true)
    lock = open(folder.appending(path: "lock").path, O_CREAT | O_RDWR | O_CLOEXEC, 0o600)
    guard lock >= 0, flock(lock, LOCK_EX | LOCK_NB) == 0 else {
      throw DataStoreError(.storeBusy, "another store has the folder open", file: folder.path)
    }
  }

  deinit { close(lock) }

  func head() throws -> FolderHead? { try decoded(FolderHead.self, folder, "store.json") }

  func write(_ head: FolderHead) throws { try replace(folder, "store.json", head) }

  /// Reads all rows, and brings them to what the last save left.
  func read(into state: inout FolderState) throws {
    for name in try FileManager.default.contentsOfDirectory(atPath: rows.path) {
      guard let key = Int(name.prefix { $0 != "." }), name == "\(key).json",
        let record = try decoded(DefaultSnapshot.self, rows, name)
      else { continue }
      state.rows[key] = try state.row(record, record.persistentIdentifier)
    }
    guard let save = try decoded(FolderSave.self, folder, "save.json") else { return }
    for key in save.removed { state.rows[key] = nil }
    for record in save.written {
      let identifier = record.persistentIdentifier
      state.rows[identifier.number] = try state.row(record, identifier)
    }
    (state.save, state.lastKey, state.isFinished) = (save, save.lastKey, false)
  }

  /// Has a save happen.
  func commit(_ save: FolderSave) throws {
    do {
      try put(folder, "save.json", save)
    } catch {
      throw DataStoreError(
        .notSaved,
        "nothing was saved; try again",
        file: folder.path,
        cause: error
      )
    }
    do {
      try sync(folder)
    } catch {
      // The new name stands, though perhaps in memory only: nobody can say what is stored.
      throw DataStoreError(.outcomeUnknown, "a loss of power may undo it", file: folder.path)
    }
  }

  /// Writes the rows of the last save into their files, where that is not done.
  func finish(_ state: inout FolderState) throws {
    guard !state.isFinished else { return }
    do {
      for key in state.save.removed { try remove("\(key).json") }
      for record in state.save.written {
        try replace(rows, "\(record.persistentIdentifier.number).json", record)
      }
      state.isFinished = true
    } catch {
      throw DataStoreError(.notSaved, "the rows before stand in no files yet", cause: error)
    }
  }

  private func decoded<T: Decodable>(_ type: T.Type, _ folder: URL, _ name: String) throws -> T? {
    let file = folder.appending(path: name)
    guard FileManager.default.fileExists(atPath: file.path) else { return nil }
    do {
      return try JSONDecoder().decode(type, from: Data(contentsOf: file))
    } catch {
      throw DataStoreError(.storeDamaged, "the file cannot be read", file: file.path, cause: error)
    }
  }

  private func remove(_ name: String) throws {
    let file = rows.appending(path: name)
    guard FileManager.default.fileExists(atPath: file.path) else { return }
    try beforeStep()
    try FileManager.default.removeItem(at: file)
  }

  /// Replaces an old file with a new one, and ensures that the name is durable.
  private func replace(_ folder: URL, _ name: String, _ value: some Encodable) throws {
    try put(folder, name, value)
    try sync(folder)
  }

  private func put(_ folder: URL, _ name: String, _ value: some Encodable) throws {
    let new = folder.appending(path: "\(name).new")
    try beforeStep()
    try JSONEncoder().encode(value).write(to: new)
    try sync(new)
    try beforeStep()
    guard rename(new.path, folder.appending(path: name).path) == 0 else {
      throw CocoaError(.fileWriteUnknown)
    }
  }

  private func sync(_ url: URL) throws {
    try beforeStep()
    try FileHandle(forReadingFrom: url).synchronize()
  }
}
