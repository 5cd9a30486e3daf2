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
      let rules = StatementRules(catalog.map, mayWrite: true)
      let changes = RawChanges(catalog, rules)
      let result = try changes.watch(connection) {
        try lend(connection, rules, changes, body)
      }
      try changes.settle(connection, configuration.history)
      return result
    }
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
        file: configuration.url?.path
      )
      defer { lent.end() }
      return try body(lent)
    }
  }
}
