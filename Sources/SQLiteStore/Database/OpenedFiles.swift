import StoreFiles

/// The files with which a database was opened.
struct OpenedFiles: Sendable {
  /// How the file of a name compares with the one that was opened.
  enum Standing: Equatable {
    /// It is the one that was opened.
    case same
    /// There is none.
    case absent
    /// It is another one, and has no bytes.
    case empty
    /// It is another one.
    case other

    init(_ found: FileExtent?, _ opened: FileExtent?) {
      switch (found, opened) {
      case (nil, _): self = .absent
      case (let found?, let opened?) where found.isSameFile(as: opened): self = .same
      case (let found?, _): self = found.size == 0 ? .empty : .other
      }
    }
  }

  /// This process's hold on the database file.
  let hold: DatabaseHold
  private let database: FileExtent?
  private let log: FileExtent?
  private let index: FileExtent?

  /// Notes the files that a connection has opened.
  init(_ file: DatabaseFile, _ hold: DatabaseHold) throws {
    self.hold = hold
    database = try file.folder.extentByPath(of: file.name)
    log = try file.log.extent()
    index = try file.folder.extent(of: file.indexName)
    guard database?.isSameFile(as: hold.status) == true else {
      throw StoreErrors.replaced(file.path)
    }
  }

  /// The standing of the database file; its path tells of a folder that was moved as well.
  func database(_ file: DatabaseFile) throws(FileError) -> Standing {
    Standing(try file.folder.extentByPath(of: file.name), database)
  }

  /// The standing of the log; one that is shorter than its index says is another one.
  func log(_ file: DatabaseFile, _ counted: LogIndex?) throws(FileError) -> Standing {
    let found = try file.log.extent()
    let standing = Standing(found, log)
    guard standing == .same, let found, let counted, found.size < counted.logSize else {
      return standing
    }
    return .other
  }

  /// The standing of the log's index.
  func index(_ file: DatabaseFile) throws(FileError) -> Standing {
    Standing(try file.folder.extent(of: file.indexName), index)
  }

  /// Whether the log and its index are those that were opened, as far as their names tell.
  func hasLogInPlace(_ file: DatabaseFile) throws -> Bool {
    // A reader of a file that nobody can write to may have none of its own.
    try (log == nil || self.log(file, nil) == .same) && (index == nil || index(file) == .same)
  }
}
