import StoreFiles
import Synchronization

/// The files with which a database was opened.
final class OpenedFiles: Sendable {
  /// The comparison of the file that a name now refers to with the one that was opened.
  enum OpenedFileStatus: Equatable {
    /// It is the one that was opened.
    case same
    /// There is no file.
    case absent
    /// It is another file, and is empty.
    case empty
    /// It is another file.
    case other

    init(_ found: FileExtent?, _ opened: FileExtent?) {
      switch (found, opened) {
      case (nil, _): self = .absent
      case (let found?, let opened?) where found.identity == opened.identity: self = .same
      case (let found?, _): self = found.size == 0 ? .empty : .other
      }
    }
  }

  /// This process's hold on the database file.
  let hold: DatabaseHold
  private let database: FileExtent?
  private let log: FileExtent?
  private let index: FileExtent?
  /// The size of the database file when it was last checked before a save.
  private let size: Atomic<Int>

  /// Records the files that a connection has opened.
  init(_ file: DatabaseFile, _ hold: DatabaseHold) throws {
    self.hold = hold
    database = try file.folder.extent(of: file.name, byPath: true)
    log = try file.folder.extent(of: file.log.name)
    index = try file.folder.extent(of: file.indexName)
    size = Atomic(database?.size ?? 0)
    guard database?.identity == hold.status.identity else {
      throw StoreErrors.replaced(file.path)
    }
  }

  /// Returns whether the files are those that were opened, and the database file and the log are no
  /// shorter than they were.
  ///
  /// Of other files, the standings below say more.
  ///
  /// - Parameters:
  ///   - file: The database file.
  ///   - counted: The log's index.
  ///   - withIndex: Whether to look at the file of the log's index as well.
  /// - Returns: Whether all of them are in place.
  /// - Throws: The error of the system.
  func areInPlace(
    _ file: DatabaseFile,
    _ counted: LogIndex?,
    withIndex: Bool = true
  ) throws(FileError) -> Bool {
    let found = try file.folder.extent(of: file.name, byPath: true)
    guard let database, let found, found.identity == database.identity,
      found.size >= size.load(ordering: .relaxed)
    else { return false }
    size.store(found.size, ordering: .relaxed)
    let foundLog = try file.folder.extent(of: file.log.name)
    guard let log, let foundLog, foundLog.identity == log.identity,
      foundLog.size >= counted?.logSize ?? 0
    else { return false }
    guard withIndex else { return true }
    let foundIndex = try file.folder.extent(of: file.indexName)
    return index != nil && foundIndex?.identity == index?.identity
  }

  /// Returns the standing of the database file; a truncated one counts as another file, if the log's
  /// index is given.
  ///
  /// Its path also shows whether a folder was moved. A file gets shorter when it is compacted. It then has all pages that the log's index counts,
  /// or the log has the others. Only a file that got shorter is inspected.
  func database(
    _ file: DatabaseFile,
    _ counted: LogIndex? = nil
  ) throws(FileError) -> OpenedFileStatus {
    let found = try file.folder.extent(of: file.name, byPath: true)
    let status = OpenedFileStatus(found, database)
    guard status == .same, let found, let counted else { return status }
    if found.size < size.load(ordering: .relaxed) {
      if try lacksPages(found, file, counted) { return .other }
    }
    size.store(found.size, ordering: .relaxed)
    return .same
  }

  private func lacksPages(
    _ found: FileExtent,
    _ file: DatabaseFile,
    _ counted: LogIndex
  ) throws(FileError) -> Bool {
    // There was no save since the index was made, so the file should be unchanged.
    if counted.pageCount == 0 { return true }
    let present = found.size / counted.pageSize
    guard present < counted.pageCount else { return false }
    let logged = Set(try file.log.frames()?.pages.prefix(counted.frameCount) ?? [])
    return !(present + 1...counted.pageCount).allSatisfy(logged.contains)
  }

  /// Returns the standing of the log; one that is shorter than its index says counts as another
  /// file.
  func log(_ file: DatabaseFile, _ counted: LogIndex?) throws(FileError) -> OpenedFileStatus {
    let found = try file.folder.extent(of: file.log.name)
    let status = OpenedFileStatus(found, log)
    guard status == .same, let found, let counted, found.size < counted.logSize else {
      return status
    }
    return .other
  }

  /// Returns the standing of the log's index.
  func index(_ file: DatabaseFile) throws(FileError) -> OpenedFileStatus {
    OpenedFileStatus(try file.folder.extent(of: file.indexName), index)
  }

  /// Whether the log and its index are those that were opened, judging by their names.
  func hasLogInPlace(_ file: DatabaseFile) throws -> Bool {
    // A reader of a read-only file may have no log or index of its own.
    try (log == nil || self.log(file, nil) == .same) && (index == nil || index(file) == .same)
  }
}
