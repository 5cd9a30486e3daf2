import CSQLite
import SQLiteBinding

/// One connection to one database.
///
/// Invariants:
/// 1. Nothing runs before the connection is hardened (`Connection+Opening.swift`).
/// 2. A closure gets exclusive access to a statement, which is back in the cache, reset, when the
///    closure ends.
/// 3. A transaction that began has ended when `transaction` returns or throws.
/// 4. After an error that spoils the connection (``SQLiteError/makesConnectionUnusable``), `isUnusable`
///    stays true, and the owner opens another before it saves again.
///
/// Unchecked: SQLite is configured not to lock. A connection is passed from owner to owner (the
/// lock of the writer, the pool of readers), and only its current owner uses it.
final class Connection: @unchecked Sendable {
  let options: ConnectionOptions

  /// Whether a failed write has left the connection in an indeterminate state.
  private(set) var isUnusable = false

  private(set) var handle: OpaquePointer?
  // The owner of the connection reads this for each statement, and no access lasts.
  @exclusivity(unchecked) private var statements: StatementCache
  private let log = WriteAheadLogSize()

  /// Whether a write has failed before, so that it is unknown how much of the log is on stable
  /// storage.
  var mustCheckLog = false

  /// Whether the log was rewritten before the connection was opened (`DatabaseFile+Renewal.swift`).
  var isLogRenewed = false

  /// Whether the connection is the writer's and serves reads for now (``WriterSlot/lend()``).
  var isLent = false

  /// Whether pages may have been read since they were last released.
  var mayHavePages = true

  /// The statements of queries that ran on this connection.
  var shapes = QueryShapes()

  /// The rows whose unique values have to be compared in memory.
  var inexactRows = InexactRows()

  /// Whether the file was found to have the history table, which no file loses.
  var hasHistory = false

  /// The number of the save that is being written, and whether the history records it.
  var save: Int64 = 0
  var isSaveInHistory = false

  /// Decides about each action of the statements that are prepared, if there are rules for them.
  private(set) var authorizer: ((Int32, String?, String?) -> Int32)?

  /// The fingerprint of the schema with which the store was opened, or `nil` while it is being opened.
  private(set) var expectedSchema: String?

  /// Detects changes of the schema by other programs, or `nil` while the store is being opened.
  private var schemaGuard: SchemaGuard?

  /// The reader of the last single row that was read.
  ///
  /// It refers to the connection until that is closed.
  private var lastRowReader: StatementRowReader?

  /// The first error in one of the store's SQL functions.
  let functionFailure = EvaluationFailure()

  /// Opens and hardens a connection.
  ///
  /// - Throws: ``SQLiteError`` if the file cannot be opened, is no database, or does not accept the
  ///   journal mode that the write protocol needs. Nothing is left open then.
  init(_ options: ConnectionOptions) throws(SQLiteError) {
    self.options = options
    self.statements = StatementCache(capacity: options.statementCapacity)
    do {
      self.handle = try Self.open(options)
      try configure()
      log.watch(handle)
      if let fingerprint = options.fingerprint {
        expectSchema(fingerprint)
        try schemaGuard?.check()
      }
    } catch {
      close()
      throw error
    }
  }

  deinit {
    close()
  }

  /// Makes later statements fail if the schema does not have a fingerprint.
  func expectSchema(_ fingerprint: String) {
    expectedSchema = fingerprint
    // Statements that are cached by now read only the store's own table.
    schemaGuard = handle.map { handle in
      SchemaGuard { () throws(SQLiteError) -> String? in
        // By statements that no guard checks and no log counts.
        func value(of key: String) throws(SQLiteError) -> String? {
          let sql = "SELECT value FROM \"OpenSwiftData\" WHERE key = '\(key)'"
          let statement = try Statement(sql, on: handle)
          return try statement.step() ? statement.text(at: 0) : nil
        }
        if try value(of: "fingerprint") == fingerprint { return nil }
        // The stored fingerprint alone may be damaged.
        let schema = try value(of: "schema") ?? ""
        return Metadata.fingerprint(of: schema) == fingerprint
          ? nil : Metadata.version(ofSchema: schema)
      }
    }
  }

  /// Finalizes the statements and closes the connection; a second call does nothing.
  ///
  /// The owner must call it before it drops a connection: one that has read single rows is in a
  /// reference cycle. The log is left unchanged, unless `allowCheckpointAtClose()` was called.
  func close() {
    lastRowReader = nil
    statements.removeAll()
    // The second form waits for a statement that is still in use instead of leaking the file.
    sqlite3_close_v2(handle)
    handle = nil
  }

  /// Provides access to the prepared statement of an SQL string, from the cache if it is there.
  func withStatement<Result>(
    _ sql: String,
    _ body: (Statement) throws -> Result
  ) throws -> Result {
    let statement: Statement
    if let idle = statements.idle(sql) {
      statement = idle
    } else {
      statement = try prepare(sql)
      statements.keep(statement)
    }
    defer { statement.endUse() }
    do {
      return try body(statement)
    } catch let error as SQLiteError {
      noteFailure(error)
      if let cause = functionFailure.take() { throw cause }
      throw error
    }
  }

  /// Runs a statement that returns no rows, from the cache if it is there.
  func run(_ sql: String, _ values: SQLValue...) throws {
    try withStatement(sql) {
      if !values.isEmpty { try $0.bind(values) }
      try $0.run()
    }
  }

  /// Returns a reader of the rows of a statement that is in use.
  ///
  /// It returns the last one if that is of the same statement. Single rows are mostly read of one
  /// entity, and creating a reader costs as much as finding a row.
  func rowReader(
    of statement: Statement,
    _ plan: RowPlan,
    _ catalog: Catalog
  ) -> StatementRowReader {
    if let lastRowReader, lastRowReader.reads(statement, by: plan) { return lastRowReader }
    let references = ReferenceReader(catalog: catalog, connection: self)
    let made = StatementRowReader(statement, plan: plan, references: references)
    if handle != nil { lastRowReader = made }
    return made
  }

  /// Makes SQLite ask a function about each action of the statements that are prepared, or none.
  func authorize(by authorizer: ((Int32, String?, String?) -> Int32)?) {
    self.authorizer = authorizer
    guard let handle else { return }
    guard authorizer != nil else {
      sqlite3_set_authorizer(handle, nil, nil)
      return
    }
    sqlite3_set_authorizer(
      handle,
      { context, action, first, second, _, _ in
        guard let context else { return SQLITE_OK }
        let connection = Unmanaged<Connection>.fromOpaque(context).takeUnretainedValue()
        return connection.authorizer?(
          action,
          first.map { String(cString: $0) },
          second.map { String(cString: $0) }
        ) ?? SQLITE_OK
      },
      Unmanaged.passUnretained(self).toOpaque()
    )
  }

  /// Prepares a statement outside the cache, which the caller may keep while the connection is
  /// open.
  func prepare(_ sql: String) throws(SQLiteError) -> Statement {
    guard let handle else {
      throw SQLiteError(extendedCode: SQLITE_MISUSE, message: "the connection is closed")
    }
    do {
      return try Statement(sql, on: handle, log: options.log, schema: schemaGuard)
    } catch {
      // A column may be missing because another program has removed it.
      if error.kind == .other { try schemaGuard?.check() }
      throw error
    }
  }

  /// Runs one statement that is not worth caching.
  func execute(_ sql: String) throws(SQLiteError) {
    do {
      try prepare(sql).run()
    } catch {
      noteFailure(error)
      throw error
    }
  }

  /// Returns the first column of the first row as an integer, or `nil` if there is no row.
  func integer(_ sql: String) throws(SQLiteError) -> Int64? {
    let statement = try prepare(sql)
    return try statement.step() ? statement.integer(at: 0) : nil
  }

  /// Returns the first column of the first row as a string, or `nil` if there is no row.
  func text(_ sql: String) throws(SQLiteError) -> String? {
    let statement = try prepare(sql)
    return try statement.step() ? statement.text(at: 0) : nil
  }

  /// The number of pages in the write-ahead log as of the last commit of this connection.
  var logPageCount: Int { log.pageCount }

  /// The extent of the write-ahead log, or `nil` if the connection has no log open.
  ///
  /// If it were read without a log, SQLite would open an index and never close it.
  var logIndex: LogIndex? { hasLogOpen ? LogIndex(of: handle) : nil }

  /// The mark of the last transaction in the log, or `nil` if the connection has no log open.
  var logMark: LogIndex.Mark? { logIndex?.mark }

  /// Whether the connection has a log, between transactions.
  ///
  /// A file whose creation was interrupted may have none yet. A journal is open within transactions
  /// only.
  var hasLogOpen: Bool { SQLiteFile(of: handle, SQLITE_FCNTL_JOURNAL_POINTER) != nil }

  /// Whether the log can be checkpointed: not after a failure, in this process or another, until
  /// the log was rewritten.
  ///
  /// SQLite's index of the log says if a checkpoint was begun and did not end, or may not have.
  /// Whether it failed, or a kill interrupted it, is noted in the lock file.
  var mayCheckpoint: Bool {
    guard !isUnusable, !mustCheckLog else { return false }
    guard logIndex?.hasUnfinishedCheckpoint == true, let file = options.file else {
      return true
    }
    return (try? file.hasNotedFailure) == false
  }

  /// The number of rows that the last insert, update or delete changed.
  var changedRowCount: Int {
    handle.map { Int(sqlite3_changes($0)) } ?? 0
  }

  /// Whether the open transaction has references to rows that do not exist.
  var hasDanglingReferences: Bool {
    guard let handle else { return false }
    var current: Int32 = 0
    var highest: Int32 = 0
    sqlite3_db_status(handle, SQLITE_DBSTATUS_DEFERRED_FKS, &current, &highest, 0)
    return current != 0
  }

  /// Whether no transaction is open.
  var isInAutocommit: Bool {
    handle.map { sqlite3_get_autocommit($0) != 0 } ?? true
  }

  /// Frees the memory of the pages that were read since the last call; they are read again on
  /// demand.
  func releasePages() {
    guard mayHavePages else { return }
    mayHavePages = false
    sqlite3_db_release_memory(handle)
  }

  /// Marks the connection as one that must not be used again.
  func makeUnusable() {
    isUnusable = true
  }

  func noteFailure(_ error: SQLiteError) {
    if error.makesConnectionUnusable { isUnusable = true }
  }
}
