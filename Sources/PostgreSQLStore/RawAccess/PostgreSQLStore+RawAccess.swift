import StoreHelpers
import StoreProtocol

extension PostgreSQLStore {
  /// Provides access to a connection for the program's own reading statements, all of them on one
  /// state.
  ///
  /// Documentation/PostgreSQL.md describes the tables.
  ///
  /// - Parameter body: The reads; the connection must not be used after it. It is called again after a
  ///   conflict with another transaction, on servers where a read can have one.
  /// - Returns: The result of the body.
  /// - Throws: The body's errors, and errors of reading.
  public func withConnection<Result>(
    _ body: (PostgreSQLConnection) throws -> Result
  ) throws -> Result {
    try session.read { connection in
      try connection.run(RawSave.searchPath(map.space))
      let provided = PostgreSQLConnection(connection, configuration, nil)
      defer { provided.end() }
      return try body(provided)
    }
  }

  /// Provides access to a connection for the program's own statements, all of them in one save.
  ///
  /// The save is like any other: it is durable when this method returns, and nothing of it is stored if
  /// it throws. It is in the history with the changed values, and the contexts of all processes notice
  /// it. A new row takes its `_key` from ``PostgreSQLConnection/newKey()``, and its `_version` is any
  /// number. Other saves wait meanwhile. Do not use the store itself within the body: it would wait for
  /// its own save.
  ///
  /// The statements change rows of the store's objects and nothing else. They are undone, and the
  /// changes that they made are saved like those of a context. So strings, unique values and references
  /// are checked, and references to deleted rows are removed.
  ///
  /// - Parameter body: The writes; the connection must not be used after it. It is called again if the
  ///   transaction conflicts with another one.
  /// - Returns: The result of the body.
  /// - Throws: The body's errors; ``DataStoreError/invalidValue`` for a row that the schema's types
  ///   cannot represent, ``DataStoreError/uniqueConflict``, ``DataStoreError/unsupportedFeature`` for
  ///   writes to other tables and on servers other than PostgreSQL, and the errors of saves.
  /// - Complexity: Besides the statements, O(*n*) in the rows of the tables that they change.
  @discardableResult
  public func withWritableConnection<Result>(
    _ body: (PostgreSQLConnection) throws -> Result
  ) throws -> Result {
    try writer.alone { try run(body, in: &$0) }
  }

  /// Provides access to a connection for the program's own statements, which are saved atomically
  /// with a context's changes.
  ///
  /// ```swift
  /// try store.withWritableConnection(during: context.save) { connection in
  ///   try connection.execute("UPDATE \"Account\" SET balance = balance - $1 WHERE _key = 7", 12)
  /// }
  /// ```
  ///
  /// The statements see the rows that the save has written. Their errors end the save, so that the
  /// context keeps its changes. The rows that they change count as changed by another writer directly
  /// after the save: contexts notice them like the saves of others. If the store has nothing to save,
  /// the statements are a save of their own.
  ///
  /// - Parameters:
  ///   - saves: Saves one context or several. The first save to this store includes the statements.
  ///   - body: The writes, as for ``withWritableConnection(_:)``.
  /// - Returns: The result of the body.
  /// - Throws: The errors of the saves and the body; see ``withWritableConnection(_:)``.
  @discardableResult
  public func withWritableConnection<Result>(
    during saves: () throws -> Void,
    _ body: (PostgreSQLConnection) throws -> Result
  ) throws -> Result {
    var result: Result?
    let isDone = try SaveCompanion.accompany(saves, to: self) {
      (connection: PostgreSQLConnection) in result = try body(connection)
    }
    if isDone, let result { return result }
    return try withWritableConnection(body)
  }

  /// Runs a program's statements in a transaction, as a save after those that it has.
  func run<Result>(
    _ body: (PostgreSQLConnection) throws -> Result,
    in transaction: inout SaveWriter.Transaction
  ) throws -> Result {
    guard features.contains(.transactionRows) else {
      throw DataStoreError(
        .unsupportedFeature,
        "only PostgreSQL itself reports which rows the statements of a program change",
        file: configuration.name
      )
    }
    let save = RawSave(map: map, connection: transaction.connection, configuration: configuration)
    let (result, changes) = try save.changes(of: body)
    writer.renewTime(of: &transaction)
    if let changes { _ = try writer.make(changes, in: &transaction) }
    return result
  }
}
