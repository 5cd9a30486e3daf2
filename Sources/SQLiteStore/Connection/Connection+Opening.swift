import CSQLite
import Foundation
import SQLiteBinding

/// The open sequence, in the order in which it protects.
///
/// First come the flags, then the settings that limit a hostile file, and only then the first
/// statement that reads the file.
extension Connection {
  /// The oldest SQLite that has every setting below, and RETURNING.
  private static let oldestLibrary: Int32 = 3_035_000

  /// The maximum length of a string, blob or row, in bytes.
  private static let longestValue: Int32 = 1_000_000_000

  static func open(_ options: ConnectionOptions) throws(SQLiteError) -> OpaquePointer {
    guard sqlite3_libversion_number() >= oldestLibrary, sqlite3_threadsafe() != 0 else {
      throw SQLiteError(
        extendedCode: SQLITE_MISUSE,
        message: "the store needs a thread-safe SQLite 3.35 or newer"
      )
    }
    return try SQLiteHandle.open(options.path, options.flags, fileSystem: options.fileSystem)
  }

  func configure() throws(SQLiteError) {
    sqlite3_extended_result_codes(handle, 1)
    sqlite3_busy_timeout(handle, options.busyTimeout)
    try SQLiteHandle.harden(handle, Self.settings)
    limit()
    try addFunctions()
    try execute("PRAGMA cell_size_check = ON")
    try execute("PRAGMA mmap_size = 0")
    if let size = options.cacheSize {
      // A negative number is in kibibytes.
      try execute("PRAGMA cache_size = -\(max(size >> 10, 256))")
    }
    // A sort that spills would otherwise write rows into the system's folder for temporary files.
    try execute("PRAGMA temp_store = MEMORY")
    try execute("PRAGMA synchronous = \(options.synchronous.rawValue)")
    try configureRole()
  }

  /// The settings beyond those of all connections.
  private static let settings: [(Int32, Int32)] = [
    (SQLITE_DBCONFIG_DQS_DML, 0),
    (SQLITE_DBCONFIG_DQS_DDL, 0),
    (SQLITE_DBCONFIG_ENABLE_LOAD_EXTENSION, 0),
    (SQLITE_DBCONFIG_WRITABLE_SCHEMA, 0),
    (SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1),
    (SQLITE_DBCONFIG_ENABLE_FKEY, 1),
  ]

  private func addFunctions() throws(SQLiteError) {
    for code in [
      SwiftText.register(on: handle),
      SQLFunctions.register(on: handle, options.files, functionFailure),
    ] where code != SQLITE_OK {
      throw SQLiteError(connection: handle, code: code)
    }
  }

  private func limit() {
    sqlite3_limit(handle, SQLITE_LIMIT_ATTACHED, 0)
    sqlite3_limit(handle, SQLITE_LIMIT_EXPR_DEPTH, 500)
    sqlite3_limit(handle, SQLITE_LIMIT_LIKE_PATTERN_LENGTH, 10_000)
    sqlite3_limit(handle, SQLITE_LIMIT_TRIGGER_DEPTH, 1)
    sqlite3_limit(handle, SQLITE_LIMIT_LENGTH, Self.longestValue)
  }

  private func configureRole() throws(SQLiteError) {
    guard case .file = options.location else { return }
    // A checkpoint outside the write protocol can race a commit and lose it (SQLite before
    // 3.51.3): only `checkpoint()` makes one.
    sqlite3_wal_autocheckpoint(handle, 0)
    if options.role != .writer { try allowChanges(false) }
    if options.role == .reader {
      try requireWAL(
        text("PRAGMA journal_mode"),
        orSay: ", so another program has emptied or changed the file: open the store again"
      )
    }
  }

  /// Sets whether statements may change the database.
  func allowChanges(_ isAllowed: Bool) throws(SQLiteError) {
    try execute("PRAGMA query_only = \(isAllowed ? "OFF" : "ON")")
  }

  /// Puts the file into the journal mode that the write protocol needs.
  ///
  /// It is not part of the open: a file that turns out to be another program's is left unchanged.
  func enterWAL() throws(SQLiteError) {
    guard case .file = options.location else { return }
    try requireWAL(text("PRAGMA journal_mode = WAL"), orSay: " and cannot be changed to wal")
  }

  /// Lets the close of this connection, if it is the last one, empty and remove the log.
  ///
  /// Only the holder of the sidecar lock may do so.
  func allowCheckpointAtClose() {
    // A connection that could not be replaced by a new one is closed already.
    guard handle != nil, mayCheckpoint, (try? beginSyncedCheckpoint()) != nil else { return }
    _ = csqlite_db_config(handle, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 0)
  }

  private func requireWAL(_ mode: String?, orSay explanation: String) throws(SQLiteError) {
    guard mode == "wal" else {
      throw SQLiteError(
        extendedCode: SQLITE_CANTOPEN,
        message: "the journal mode is \(mode ?? "unknown")\(explanation)"
      )
    }
  }
}

extension ConnectionOptions {
  fileprivate var path: String {
    switch location {
    case .file(let path) where isImmutable:
      "file:\(path.addingPercentEncoding(withAllowedCharacters: .urlPathAllowed) ?? path)?immutable=1"
    case .file(let path): path
    case .memory: ":memory:"
    }
  }

  fileprivate var flags: Int32 {
    let access = role == .readOnlyFile ? SQLITE_OPEN_READONLY : SQLITE_OPEN_READWRITE
    let location =
      switch location {
      // No CREATE: the store creates the file itself, with its mode, before any connection exists.
      case .file: SQLITE_OPEN_NOFOLLOW | (isImmutable ? SQLITE_OPEN_URI : 0)
      case .memory: SQLITE_OPEN_MEMORY | SQLITE_OPEN_CREATE
      }
    return access | location | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_PRIVATECACHE
  }
}
