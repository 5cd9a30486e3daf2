import StoreFiles
import StoreProtocol

// Identifies a file by its own bytes. SQLite would change another program's file just by
// reading it, since it rolls back a transaction that was left half written.

extension DatabaseFile {
  private static let mark = Array("SQLite format 3\0".utf8)
  /// The number of bytes that identify a file: its header, and that of its first page.
  private static let headerSize = 112
  private static let journalVersion = 19
  private static let userVersion = 60..<64
  private static let applicationID = 68..<72
  /// The number of tables and indexes on the first page.
  private static let entryCount = 103..<105
  /// The journal mode of a file with a write-ahead log.
  private static let writeAheadLog: UInt8 = 2

  /// Throws if a file is no store of this engine, before SQLite opens it.
  ///
  /// A file that is refused here is wrong in whatever state another process may have it just now.
  func look(_ hold: DatabaseHold, _ status: FileStatus) throws {
    if status.size == 0 {
      guard try log.hasBytes() else { return }
      // SQLite would treat the file as a new one, and remove the log.
      throw failure(
        .storeDamaged,
        "the file is empty, but its log (-wal) is not; restore the file, or remove the log to "
          + "start with an empty store"
      )
    }
    if try isHalfMade() { return }
    // SQLite treats a file that is shorter than its smallest page as a new one, and overwrites it.
    guard status.size >= 512 else { throw noDatabase }
    let database = try hold.open()
    let bytes = try database.bytes(at: 0, count: Self.headerSize)
    guard bytes.starts(with: Self.mark) else { throw noDatabase }
    if isOwn(bytes) {
      // Another process may begin a log in between, after it changed the header.
      guard bytes[Self.journalVersion] != Self.writeAheadLog, try log.hasBytes(),
        try database.bytes(at: Self.journalVersion, count: 1) != [Self.writeAheadLog]
      else { return }
      // SQLite would write the log over the file.
      throw failure(
        .storeDamaged,
        "the log (-wal) beside the file belongs to another one, in whose place a copy was restored; "
          + "remove the log and its index (-shm), or move them away with the file"
      )
    }
    // A power loss may have interrupted the creation of a store of this engine. Then the valid
    // first page is that of an empty database, and SQLite's recovery decides.
    let page = try log.frames()?.committedBytes(ofPage: 1, count: Self.headerSize) ?? bytes
    guard isOwn(page) || isEmpty(page) else { throw notOwn }
  }

  /// Whether a first page has neither tables nor the mark of a program.
  private func isEmpty(_ page: [UInt8]) -> Bool {
    [Self.userVersion, Self.applicationID, Self.entryCount].allSatisfy { field in
      page[field].allSatisfy { $0 == 0 }
    }
  }

  private func isOwn(_ page: [UInt8]) -> Bool {
    page[Self.applicationID].reduce(0) { $0 << 8 | Int64($1) } == FileFormat.applicationID
  }

  private var noDatabase: DataStoreError {
    failure(.storeDamaged, "the file is not a SQLite database and was not changed")
  }

  private var notOwn: DataStoreError {
    failure(.storeNotTrusted, "the file is a database of another program")
  }

  private func failure(_ kind: DataStoreError, _ message: String) -> DataStoreError {
    DataStoreError(kind, message, file: path)
  }

  /// Rewrites what was left in the log, if no connection has the database open.
  ///
  /// - Returns: Whether that was so.
  /// - Throws: ``DataStoreError/storeReplaced`` if others have it open whose log is gone. With
  ///   another log, they and this process would not see each other's saves.
  func checkLog(_ hold: DatabaseHold) throws -> Bool {
    var rest = patience
    while true {
      if try renewLog(hold, isHeld: false) { return true }
      // A process that has just begun to read may have no log yet.
      if try !hold.hasLocks || folder.extent(of: log.name) != nil || !usesLog(hold) { return false }
      guard rest > 0 else { throw StoreErrors.lostLog(path) }
      rest -= pause()
    }
  }

  private func usesLog(_ hold: DatabaseHold) throws -> Bool {
    guard try folder.extent(of: name)?.size ?? 0 >= Self.headerSize else { return false }
    return try hold.open().bytes(at: Self.journalVersion, count: 1) == [Self.writeAheadLog]
  }

  /// Throws if the log is shorter than its index says.
  func checkLog(of connection: Connection) throws {
    do {
      // The first read opens the log.
      _ = try connection.integer("PRAGMA schema_version")
    } catch {
      try checkLength(connection)
      throw error
    }
    try checkLength(connection)
  }

  private func checkLength(_ connection: Connection) throws {
    guard let index = connection.logIndex,
      try folder.extent(of: log.name).map({ $0.size < index.logSize }) ?? true
    else { return }
    throw StoreErrors.lostLog(path)
  }
}
