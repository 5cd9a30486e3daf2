import StoreHelpers
import StoreProtocol

extension SQLiteStore {
  /// Provides access to a connection for the program's own reading statements, all of them on one
  /// state.
  ///
  /// Documentation/SQLiteFormat.md describes the tables.
  ///
  /// - Parameter body: The reads; the connection must not be used after it.
  /// - Returns: The result of the body.
  /// - Throws: The body's errors, and errors of reading.
  public func withConnection<Result>(
    _ body: (SQLiteConnection) throws -> Result
  ) throws -> Result {
    try database.readSnapshot { connection in
      let rules = StatementRules(catalog.map, mayWrite: false)
      return try provide(connection, rules, nil, body)
    }
  }

  /// Provides access to a connection for the program's own statements, all of them in one save.
  ///
  /// The save is like any other: it is durable when this method returns, and nothing of it is
  /// stored if it throws. The contexts of all processes notice it by the versions of the rows,
  /// which the store sets. A new row takes its `_key` from ``SQLiteConnection/newKey()``. Strings,
  /// numbers and references are checked before the commit. Do not use the store itself within the
  /// body: it would wait for its own save.
  ///
  /// - Parameter body: The writes; the connection must not be used after it.
  /// - Returns: The result of the body.
  /// - Throws: The body's errors; ``DataStoreError/invalidValue`` for a row that the schema's types
  ///   cannot represent, ``DataStoreError/uniqueConflict``, and the errors of saves.
  /// - Complexity: Besides the statements, O(*k*) in the rows that they change. If they write to
  ///   strings with an index of words, or to a join table, O(*n*) in the rows of that table.
  @discardableResult
  public func withWritableConnection<Result>(
    _ body: (SQLiteConnection) throws -> Result
  ) throws -> Result {
    try save { connection, _ in try run(body, on: connection) }
  }

  /// Provides access to a connection for the program's own statements, which are saved atomically
  /// with a context's changes.
  ///
  /// ```swift
  /// try store.withWritableConnection(during: context.save) { connection in
  ///   try connection.execute("UPDATE Account SET balance = balance - ? WHERE _key = 7", 12)
  /// }
  /// ```
  ///
  /// The statements see the rows that the save has written. Their errors end the save, so that the
  /// context keeps its changes. The rows that they change count as changed by another writer
  /// directly after the save: contexts notice them like the saves of others. If the store has
  /// nothing to save, the statements are a save of their own.
  ///
  /// - Parameters:
  ///   - saves: Saves one context or several. The first save to this store includes the statements.
  ///   - body: The writes, as for ``withWritableConnection(_:)``. It is called again if a save that
  ///     failed is retried.
  /// - Returns: The result of the body.
  /// - Throws: The errors of the saves and the body; see ``withWritableConnection(_:)``.
  @discardableResult
  public func withWritableConnection<Result>(
    during saves: () throws -> Void,
    _ body: (SQLiteConnection) throws -> Result
  ) throws -> Result {
    var result: Result?
    let isDone = try SaveCompanion.accompany(saves, to: self) { (connection: SQLiteConnection) in
      result = try body(connection)
    }
    if isDone, let result { return result }
    return try withWritableConnection(body)
  }

  /// Runs a program's statements in the transaction of a save.
  func run<Result>(
    _ body: (SQLiteConnection) throws -> Result,
    on connection: Connection
  ) throws -> Result {
    connection.inexactRows = InexactRows()
    let rules = StatementRules(catalog.map, mayWrite: true)
    let changes = RawChanges(catalog, rules)
    let result = try changes.watch(connection) { try provide(connection, rules, changes, body) }
    try changes.finish(connection, configuration.history)
    return result
  }

  private func provide<Result>(
    _ connection: Connection,
    _ rules: StatementRules,
    _ changes: RawChanges?,
    _ body: (SQLiteConnection) throws -> Result
  ) throws -> Result {
    try rules.withAuthorizer(connection) {
      let provided = SQLiteConnection(
        connection,
        rules: rules,
        keys: changes,
        file: configuration.file?.path
      )
      defer { provided.end() }
      return try body(provided)
    }
  }
}
