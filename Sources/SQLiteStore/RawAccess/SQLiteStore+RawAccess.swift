import StoreProtocol

extension SQLiteStore {
  /// Lends a connection for statements of the program's own that read, all of them on one state.
  ///
  /// Documentation/SQLiteFormat.md tells what is in the tables.
  ///
  /// - Parameter body: What to read; the connection is of no use after it.
  /// - Returns: What the body returns.
  /// - Throws: What the body throws, and what reading throws.
  public func withConnection<Result>(
    _ body: (SQLiteConnection) throws -> Result
  ) throws -> Result {
    try database.readSnapshot { connection in
      let rules = StatementRules(catalog.map, mayWrite: false)
      return try lend(connection, rules, nil, body)
    }
  }

  /// Lends a connection for statements of the program's own, all of them in one save.
  ///
  /// The save is as any other: it is durable when this returns, nothing of it is stored when this
  /// throws, and the contexts of all processes notice it by the versions of the rows, which the
  /// store gives. A new row takes its `_key` from ``SQLiteConnection/newKey()``; texts, numbers and
  /// references are checked before the commit. Not to be used within the body: the store itself,
  /// which would wait for its own save.
  ///
  /// - Parameter body: What to write; the connection is of no use after it.
  /// - Returns: What the body returns.
  /// - Throws: What the body throws; ``DataStoreError/invalidValue`` for a row that the schema's
  ///   types cannot read, ``DataStoreError/uniqueConflict``, and what saves throw.
  /// - Complexity: Beside the statements, O(*k*) in the rows that they change; where they write to
  ///   texts with an index of words, or to a table of members, O(*n*) in the rows of that table.
  @discardableResult
  public func withWritableConnection<Result>(
    _ body: (SQLiteConnection) throws -> Result
  ) throws -> Result {
    try save { connection, _ in
      try checkSchema(on: connection)
      return try run(body, on: connection)
    }
  }

  /// Lends a connection for statements of the program's own that are saved with what a context saves:
  /// all of it or nothing.
  ///
  /// ```swift
  /// try store.withWritableConnection(during: context.save) { connection in
  ///   try connection.execute("UPDATE Account SET balance = balance - ? WHERE _key = 7", 12)
  /// }
  /// ```
  ///
  /// The statements see the rows that the save has written. What they throw ends the save, so that the
  /// context keeps its changes. The rows that they change count as changed by somebody else right
  /// after the save: contexts notice them as they notice the saves of others. Where the store has
  /// nothing to save, the statements are a save of their own.
  ///
  /// - Parameters:
  ///   - saves: Saves one context or several. The first save to this store takes the statements along.
  ///   - body: What to write, as for ``withWritableConnection(_:)``; called again where a save that
  ///     failed is tried once more.
  /// - Returns: What the body returns.
  /// - Throws: What the saves and the body throw; see ``withWritableConnection(_:)``.
  @discardableResult
  public func withWritableConnection<Result>(
    during saves: () throws -> Void,
    _ body: (SQLiteConnection) throws -> Result
  ) throws -> Result {
    var result: Result?
    let isDone = try SaveCompanion.accompany(saves, to: self) { result = try body($0) }
    if isDone, let result { return result }
    return try withWritableConnection(body)
  }

  /// Runs statements of a program in the transaction of a save.
  func run<Result>(
    _ body: (SQLiteConnection) throws -> Result,
    on connection: Connection
  ) throws -> Result {
    connection.inexactRows = InexactRows()
    let rules = StatementRules(catalog.map, mayWrite: true)
    let changes = RawChanges(catalog, rules)
    let result = try changes.watch(connection) { try lend(connection, rules, changes, body) }
    try changes.settle(connection, configuration.history)
    return result
  }

  private func lend<Result>(
    _ connection: Connection,
    _ rules: StatementRules,
    _ changes: RawChanges?,
    _ body: (SQLiteConnection) throws -> Result
  ) throws -> Result {
    try rules.judge(connection) {
      let lent = SQLiteConnection(
        connection,
        rules: rules,
        keys: changes,
        file: configuration.file?.path
      )
      defer { lent.end() }
      return try body(lent)
    }
  }
}
