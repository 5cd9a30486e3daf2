import PostgreSQLClient
import StoreHelpers
import StoreProtocol

/// A connection to a store's server, valid within the body of one access.
///
/// Every value is a parameter, `$1`, `$2` and so on, never part of the SQL of a statement. The tables
/// need no schema, but quotation marks: their names have capital letters.
///
/// ```swift
/// let names = try store.withConnection { connection in
///   try connection.rows("SELECT name FROM \"Trip\" WHERE days > $1", 7).compactMap { $0["name"] }
/// }
/// ```
///
/// Statements that begin with words such as `COMMIT`, `ALTER` or `SET` are refused before they run: they
/// could end the transaction of the access, or change tables or settings. Functions are not examined.
/// The settings of `set_config` and the locks of `pg_advisory_lock` end with the access, before another
/// request uses the connection. Do not call functions with other effects outside of the transaction,
/// such as `setval`: they are not undone.
///
/// After a statement has failed, all later ones of the access fail. The connection is not `Sendable`,
/// and must not be used after the body.
public final class PostgreSQLConnection {
  private let timeout: Duration
  private let location: String
  private var connection: Connection?
  /// The source of new keys, or `nil` if the connection is read-only.
  private let keys: RawKeys?
  private var hasFailed = false

  init(_ connection: Connection, _ configuration: PostgreSQLStoreConfiguration, _ keys: RawKeys?) {
    self.connection = connection
    self.keys = keys
    timeout = configuration.timeout
    location = configuration.name
    connection.ranProgram = true
  }

  /// Ends the access.
  func end() { connection = nil }

  /// Runs a statement that returns no rows, or whose rows are not needed.
  ///
  /// - Parameters:
  ///   - sql: One statement.
  ///   - values: The values of its parameters, in order.
  /// - Returns: The number of rows that it inserted, updated or deleted.
  /// - Throws: ``DataStoreError/unsupportedFeature`` for a statement that is refused,
  ///   ``DataStoreError/storeReadOnly`` for a write through a read-only connection,
  ///   ``DataStoreError/storeClosed`` after the access, and the server's errors:
  ///   ``DataStoreError/invalidValue`` for a statement that it does not understand.
  @discardableResult
  public func execute(_ sql: String, _ values: PostgreSQLField...) throws -> Int {
    try run(sql, values).changedRowCount
  }

  /// Runs a statement with a list of values; see ``execute(_:_:)``.
  @discardableResult
  public func execute(_ sql: String, values: [PostgreSQLField]) throws -> Int {
    try run(sql, values).changedRowCount
  }

  /// Returns all rows of a statement.
  ///
  /// Booleans, numbers, strings, JSON, bytes and UUIDs are read; other columns need a cast to `text`.
  ///
  /// - Throws: The errors of ``execute(_:_:)``.
  /// - Complexity: O(*n*) in the rows, which are in memory.
  public func rows(_ sql: String, _ values: PostgreSQLField...) throws -> [PostgreSQLRow] {
    try rows(sql, values: values)
  }

  /// Returns all rows of a statement with a list of values; see ``rows(_:_:)``.
  public func rows(_ sql: String, values: [PostgreSQLField]) throws -> [PostgreSQLRow] {
    let result = try run(sql, values)
    let columns = result.columnNames
    return try translating {
      try (0..<result.rowCount).map { row in
        PostgreSQLRow(
          columns: columns,
          values: try columns.indices.map { try PostgreSQLField(result, row, $0) }
        )
      }
    }
  }

  /// Returns the key of a new row, for its column `_key`.
  ///
  /// - Throws: ``DataStoreError/storeReadOnly`` for a read-only connection,
  ///   ``DataStoreError/storeClosed`` after the access.
  public func newKey() throws -> Int64 {
    _ = try usable()
    guard let keys else { throw StatementKind.readOnly }
    return try keys.take()
  }

  /// Returns the connection, unless the access has ended or a statement has failed.
  @discardableResult
  func usable() throws -> Connection {
    guard let connection else {
      throw DataStoreError(
        .storeClosed,
        "the connection was used outside of the body of withConnection; call withConnection again",
        file: location
      )
    }
    guard !hasFailed else {
      throw DataStoreError(
        keys == nil ? .io : .notSaved,
        "an earlier statement failed and ended the transaction; begin again",
        file: location
      )
    }
    return connection
  }

  private func run(_ sql: String, _ values: [PostgreSQLField]) throws -> QueryResult {
    let connection = try usable()
    try StatementKind(sql).check(mayWrite: keys != nil)
    connection.deadline = .after(timeout)
    return try translating {
      do { return try connection.run(Statement(sql, values.map(\.parameter))) } catch {
        hasFailed = true
        throw error
      }
    }
  }

  /// Translates errors, except for those after which the whole access is tried again.
  private func translating<Result>(_ body: () throws -> Result) throws -> Result {
    do { return try body() } catch let error as PostgreSQLError where !error.isRetryable {
      // The store's own statements are correct; those of a program may not be.
      let isOfProgram = error.sqlState?.hasPrefix("42") == true && error.kind != .permissionDenied
      throw isOfProgram
        ? DataStoreError(.invalidValue, "\(location): \(error)")
        : error.storeError(at: location, isSaving: keys != nil)
    }
  }
}

/// The keys that a program takes for new rows.
final class RawKeys {
  private let first: Int64
  private(set) var next: Int64

  init(first: Int64) { (self.first, next) = (first, first) }

  /// Whether any key was taken.
  var areTaken: Bool { next > first }

  func take() throws -> Int64 {
    try StoreNumbers.check(next + 1, of: "keys", file: nil)
    defer { next += 1 }
    return next
  }

  func contains(_ key: Int64) -> Bool { (first..<next).contains(key) }
}
