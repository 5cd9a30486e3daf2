import CSQLite
import Foundation
import StoreProtocol

/// A connection to a store's database, valid within the body of one access.
///
/// Every value is bound, never written into the SQL of a statement:
///
/// ```swift
/// let names = try store.withConnection { connection in
///   try connection.rows("SELECT name FROM Trip WHERE days > ?", 7).compactMap { $0["name"] }
/// }
/// ```
///
/// Some statements are refused before they run: those that would leave the transaction of the
/// access, change tables, or write to the store's own tables and columns. The connection is not
/// `Sendable`, and must not be used after the body.
public final class SQLiteConnection {
  private let rules: StatementRules
  private let file: String?
  private var connection: Connection?

  /// The source of new keys, or `nil` if the connection is read-only.
  private let keys: RawChanges?

  init(_ connection: Connection, rules: StatementRules, keys: RawChanges?, file: String?) {
    self.connection = connection
    self.rules = rules
    self.keys = keys
    self.file = file
  }

  /// Ends the access.
  func end() {
    connection = nil
  }

  /// Runs a statement that returns no rows, or whose rows are not needed.
  ///
  /// - Parameters:
  ///   - sql: One statement.
  ///   - values: The values of its parameters, in order.
  /// - Returns: The number of rows that it directly inserted, updated or deleted.
  /// - Throws: ``DataStoreError/unsupportedFeature`` for a statement that is refused,
  ///   ``DataStoreError/storeReadOnly`` for a write through a read-only connection,
  ///   ``DataStoreError/storeClosed`` after the access, and SQLite's errors, whose message is in
  ///   the cause.
  @discardableResult
  public func execute(_ sql: String, _ values: SQLValue...) throws -> Int {
    try execute(sql, values: values)
  }

  /// Runs a statement with a list of values; see ``execute(_:_:)``.
  @discardableResult
  public func execute(_ sql: String, values: [SQLValue]) throws -> Int {
    try run(sql, values) { connection, statement in
      let before = sqlite3_total_changes(connection.handle)
      while try rules.applied({ try statement.step() }) {}
      // A statement that changes nothing leaves the count of the one before.
      let isChanged = sqlite3_total_changes(connection.handle) != before
      return isChanged ? connection.changedRowCount : 0
    }
  }

  /// Returns all rows of a statement.
  ///
  /// - Throws: The errors of ``execute(_:_:)``.
  /// - Complexity: O(*n*) in the rows; see ``forEachRow(_:values:_:)`` for very many.
  public func rows(_ sql: String, _ values: SQLValue...) throws -> [SQLiteRow] {
    var rows: [SQLiteRow] = []
    try forEachRow(sql, values: values) { rows.append($0) }
    return rows
  }

  /// Passes the rows of a statement to a closure, one after the other.
  ///
  /// - Throws: The errors of ``execute(_:_:)``, and the body's, which end the statement.
  public func forEachRow(
    _ sql: String,
    values: [SQLValue] = [],
    _ body: (SQLiteRow) throws -> Void
  ) throws {
    try run(sql, values) { _, statement in
      let count = Int(sqlite3_column_count(statement.handle))
      let columns = (0..<count).map { index in
        sqlite3_column_name(statement.handle, Int32(index)).map { String(cString: $0) } ?? ""
      }
      while try rules.applied({ try statement.step() }) {
        let values = (0..<count).map { statement.value(at: $0) }
        try body(SQLiteRow(columns: columns, values: values))
      }
    }
  }

  /// Takes the next key of the store, for the `_key` of a row that is about to be inserted.
  ///
  /// - Throws: ``DataStoreError/storeReadOnly`` if the connection is read-only.
  public func newKey() throws -> Int64 {
    let connection = try usable()
    guard let keys else { throw StatementRules.readOnly }
    return try StoreErrors.translating(.saving, file: file) { try keys.newKey(connection) }
  }

  private func usable() throws -> Connection {
    guard let connection else {
      throw DataStoreError(
        .storeClosed,
        "the connection was used outside of the body of withConnection; call withConnection again",
        file: file
      )
    }
    // An error may have ended the transaction (INSERT OR ROLLBACK, a full disk).
    guard keys == nil || !connection.isInAutocommit else {
      throw RawChanges.transactionLost(file)
    }
    return connection
  }

  private func run<Result>(
    _ sql: String,
    _ values: [SQLValue],
    _ body: (Connection, Statement) throws -> Result
  ) throws -> Result {
    let connection = try usable()
    return try StoreErrors.translating(keys == nil ? .reading : .saving, file: file) {
      do {
        let text = sql.trimmingCharacters(in: .whitespacesAndNewlines)
        let statement = try rules.applied { try connection.prepare(text) }
        try rules.check(statement)
        guard statement.parameterCount == values.count else {
          throw DataStoreError(
            .invalidValue,
            "the statement has \(statement.parameterCount) parameters, but \(values.count) values "
              + "were passed"
          )
        }
        try statement.bind(values)
        return try body(connection, statement)
      } catch let error as SQLiteError {
        connection.noteFailure(error)
        throw rules.refusal ?? error
      }
    }
  }
}
