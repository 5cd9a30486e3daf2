import CSQLite
import Foundation
import StoreProtocol

/// One prepared statement: values are bound to it, and rows are read from it.
///
/// A statement belongs to its connection, which ensures that it is never used by two callers or
/// after the close. The functions that are called for each value are inlinable: otherwise each
/// column of each row would cost a call more.
@usableFromInline
package final class Statement {
  /// The SQL from which the statement was prepared.
  package let sql: String

  /// SQLite's own object, for readers that fetch columns without a call through this class.
  @usableFromInline package let handle: OpaquePointer

  /// Whether the statement is in use; for the cache.
  var isInUse = false

  /// The time of the last use, as a count of uses; for the cache.
  var lastUse: UInt64 = 0

  private let connection: OpaquePointer
  private let log: StatementLog?
  private let schema: SchemaGuard?
  private var isFresh = true
  /// Reports the end of the statement to its observer.
  private var observedEnd: StatementObserver.End?
  /// The number of times that SQLite has prepared the statement again.
  private var preparations: Int32 = 0

  /// Prepares a statement for repeated use.
  ///
  /// - Parameters:
  ///   - sql: The SQL.
  ///   - connection: SQLite's connection.
  ///   - log: The log of the statement's steps.
  ///   - schema: The guard of the schema with which the statement was written.
  /// - Throws: ``SQLiteError`` if the SQL does not compile, or contains more than one statement.
  package init(
    _ sql: String,
    on connection: OpaquePointer,
    log: StatementLog? = nil,
    schema: SchemaGuard? = nil
  ) throws(SQLiteError) {
    var handle: OpaquePointer?
    var text = sql
    var rest = 0
    let code = text.withUTF8 { bytes -> Int32 in
      bytes.withMemoryRebound(to: CChar.self) { characters in
        var tail: UnsafePointer<CChar>?
        let code = sqlite3_prepare_v3(
          connection,
          characters.baseAddress,
          Int32(clamping: characters.count),
          UInt32(SQLITE_PREPARE_PERSISTENT),
          &handle,
          &tail
        )
        if let start = characters.baseAddress, let tail {
          rest = characters.count - (tail - start)
        }
        return code
      }
    }
    guard code == SQLITE_OK else {
      throw SQLiteError(connection: connection, code: code, sql: sql)
    }
    guard let handle, rest == 0 else {
      sqlite3_finalize(handle)
      throw SQLiteError(
        extendedCode: SQLITE_MISUSE,
        message: "not exactly one statement",
        sql: sql
      )
    }
    self.sql = sql
    self.handle = handle
    self.connection = connection
    self.log = log
    self.schema = schema
    log?.statementPrepared()
  }

  deinit {
    observedEnd?(nil)
    sqlite3_finalize(handle)
  }

  /// Moves to the next row, and returns whether there is one.
  ///
  /// - Throws: ``SQLiteError`` if the statement fails; it is reset then.
  package func step() throws(SQLiteError) -> Bool {
    if let log {
      if isFresh { log.statementBegan(sql) }
      log.statementStepped()
    }
    let isFirst = isFresh
    isFresh = false
    if isFirst, let observer = StatementObserver.current { observedEnd = observer(sql) }
    let code = sqlite3_step(handle)
    if isFirst, let schema, code == SQLITE_ERROR || schema.hasFailed || wasPreparedAgain {
      try check(schema, code)
    }
    if code == SQLITE_ROW { return true }
    if code == SQLITE_DONE { return false }
    throw failed(code)
  }

  /// Whether SQLite has prepared the statement again since the schema was checked.
  private var wasPreparedAgain: Bool {
    sqlite3_stmt_status(handle, SQLITE_STMTSTATUS_REPREPARE, 0) != preparations
  }

  /// Checks the schema after SQLite had to prepare the statement again, or could not, or if the schema
  /// differed the last time.
  private func check(_ schema: SchemaGuard, _ code: Int32) throws(SQLiteError) {
    let failure = code == SQLITE_ERROR ? failed(code) : nil
    do throws(SQLiteError) {
      try schema.check()
      preparations = sqlite3_stmt_status(handle, SQLITE_STMTSTATUS_REPREPARE, 0)
    } catch {
      reset()
      throw error
    }
    if let failure { throw failure }
  }

  /// Runs a statement that returns no rows, and prepares it for the next values.
  package func run() throws(SQLiteError) {
    while try step() {}
    reset()
  }

  /// Prepares the statement for another run; bound values stay.
  package func reset() {
    // The result code of reset is the one that the last step already threw.
    _ = sqlite3_reset(handle)
    isFresh = true
    if let observedEnd { end(observedEnd) }
  }

  private func end(_ observedEnd: StatementObserver.End, _ error: SQLiteError? = nil) {
    self.observedEnd = nil
    observedEnd(error)
  }

  /// Prepares the statement for another run with every parameter null.
  package func clear() {
    reset()
    _ = sqlite3_clear_bindings(handle)
  }

  /// Ends a use, so that the cache can give the statement to others.
  package func endUse() {
    reset()
    _ = sqlite3_clear_bindings(handle)
    isInUse = false
  }

  package var parameterCount: Int {
    Int(sqlite3_bind_parameter_count(handle))
  }

  @usableFromInline
  package func failed(_ code: Int32) -> SQLiteError {
    let error = SQLiteError(connection: connection, code: code, sql: sql)
    if let observedEnd { end(observedEnd, error) }
    reset()
    return error
  }
}
