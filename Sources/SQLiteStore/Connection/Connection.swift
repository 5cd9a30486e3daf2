import CSQLite

/// One connection to one database.
///
/// Invariants:
/// 1. Nothing runs before the connection is hardened (`Connection+Opening.swift`).
/// 2. A statement is lent to a closure and back in the cache, reset, when the closure ends.
/// 3. A transaction that began has ended when `transaction` returns or throws.
/// 4. After an error that spoils the connection (``SQLiteError/spoilsConnection``), `isSpoiled`
///    stays true, and the owner opens another before it saves again.
///
/// Unchecked: SQLite is told not to lock. A connection is handed from owner to owner (the lock of
/// the writer, the pool of readers), and only its owner of the moment touches it.
final class Connection: @unchecked Sendable {
  let options: ConnectionOptions

  /// Whether a failed write has left the connection in doubt.
  private(set) var isSpoiled = false

  private(set) var handle: OpaquePointer?
  // Whoever has the connection looks here for each statement, and no access lasts.
  @exclusivity(unchecked) private var statements: StatementCache
  private let log = WriteAheadLogSize()

  /// Whether a write has failed before, so that nobody can tell what of the log is on stable storage.
  var distrustsLog = false

  /// Whether the log was made certain before the connection was opened (`DatabaseFile+Renewal.swift`).
  var isLogRenewed = false

  /// Whether pages may have been read since they were last released.
  var mayHavePages = true

  /// The statements of queries that were answered on this connection.
  var shapes = QueryShapes()

  /// The rows whose unique values have to be compared in memory.
  var inexactRows = InexactRows()

  /// Whether the file was found to have the table of the history, which no file loses.
  var hasHistory = false

  /// The number of the save that is written, and whether the history tells of it.
  var save: Int64 = 0
  var isSaveInHistory = false

  /// The rules that statements of the program obey, while it has the connection.
  var rules: StatementRules?

  /// The reader of the single row that was read last.
  ///
  /// It refers to the connection, until that is closed.
  private var lastRowReader: StatementRowReader?

  /// What the store's own functions met.
  let functionFailure = FunctionFailure()

  /// Opens and hardens a connection.
  ///
  /// - Throws: ``SQLiteError`` when the file cannot be opened, is no database, or does not take
  ///   the journal mode that the write protocol needs. Nothing is left open then.
  init(_ options: ConnectionOptions) throws(SQLiteError) {
    self.options = options
    self.statements = StatementCache(capacity: options.statementCapacity)
    do {
      self.handle = try Self.open(options)
      try configure()
      log.watch(handle)
    } catch {
      close()
      throw error
    }
  }

  deinit {
    close()
  }

  /// Finalizes the statements and closes the connection; a second call does nothing.
  ///
  /// Whoever gives a connection up closes it: one that has read single rows does not end by itself.
  /// The log stays as it is, unless `allowCheckpointAtClose()` was called.
  func close() {
    lastRowReader = nil
    statements.removeAll()
    // The second form waits for a statement that somebody still holds instead of leaking the file.
    sqlite3_close_v2(handle)
    handle = nil
  }

  /// Lends the prepared statement of a text, from the cache if it is there.
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
    statement.isLent = true
    defer {
      statement.clear()
      statement.isLent = false
    }
    do {
      return try body(statement)
    } catch let error as SQLiteError {
      noteFailure(error)
      if let cause = functionFailure.take() { throw cause }
      throw error
    }
  }

  /// A reader of the rows of a statement that is lent: the last one where it is of the same statement,
  /// since single rows are mostly read of one entity, and a reader costs as much to make as a row to find.
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

  /// Prepares a statement outside the cache, for the caller to keep while the connection is open.
  func prepare(_ sql: String) throws(SQLiteError) -> Statement {
    guard let handle else {
      throw SQLiteError(extendedCode: SQLITE_MISUSE, message: "the connection is closed")
    }
    return try Statement(sql, on: handle, log: options.log)
  }

  /// Runs one statement that is not worth keeping.
  func execute(_ sql: String) throws(SQLiteError) {
    do {
      try prepare(sql).run()
    } catch {
      noteFailure(error)
      throw error
    }
  }

  /// The first column of the first row as a number.
  func integer(_ sql: String) throws(SQLiteError) -> Int64? {
    let statement = try prepare(sql)
    return try statement.step() ? statement.integer(at: 0) : nil
  }

  /// The first column of the first row as a text.
  func text(_ sql: String) throws(SQLiteError) -> String? {
    let statement = try prepare(sql)
    return try statement.step() ? statement.text(at: 0) : nil
  }

  /// How many pages the write-ahead log holds since the last commit of this connection.
  var logPageCount: Int { log.pageCount }

  /// How far the write-ahead log counts, or `nil` if the connection has no log open.
  ///
  /// Asked without a log, SQLite would open an index and never close it.
  var logIndex: LogIndex? { hasLogOpen ? LogIndex(of: handle) : nil }

  /// Whether the connection has a log, between transactions: a file whose making was cut off may have
  /// none yet, and a journal is open within transactions alone.
  var hasLogOpen: Bool { SQLiteFile(logOf: handle) != nil }

  /// Whether the log can be folded into the database file: not behind a failure, in this process or
  /// another, until the log was made certain.
  ///
  /// SQLite's index of the log says when a fold was begun and did not end, or may not have; whether it
  /// has failed, or a kill has cut it off, is noted beside the file.
  var mayFold: Bool {
    guard !isSpoiled, !distrustsLog else { return false }
    guard logIndex?.hasUnfinishedFold == true, let file = options.file else {
      return true
    }
    return (try? file.hasNotedFailure) == false
  }

  /// How many rows the last insert, update or delete changed.
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

  /// Frees the memory of the pages that were read since it was last called; they are read again when
  /// they are wanted.
  func releasePages() {
    guard mayHavePages else { return }
    mayHavePages = false
    sqlite3_db_release_memory(handle)
  }

  /// Marks the connection as one that must not be used again.
  func spoil() {
    isSpoiled = true
  }

  func noteFailure(_ error: SQLiteError) {
    if error.spoilsConnection { isSpoiled = true }
  }
}
