import StoreProtocol

/// Statements that compute the whole result of a query.
extension QueryReader {
  /// Returns the statement of a query whose shape the connection has cached.
  func cachedStatement(
    _ query: StoreQuery,
    _ result: QueryShapes.ResultKind
  ) throws -> QueryStatement? {
    try connection.shapes.statement(of: query, result, catalog: catalog) {
      try InexactColumns.isMarked($0, on: connection)
    }
  }

  /// Returns the cached statement of a query whose columns need no check of marks.
  func steady(_ query: StoreQuery, _ result: QueryShapes.ResultKind) throws -> QueryStatement? {
    try connection.shapes.statement(of: query, result, catalog: catalog, isMarked: nil)
  }

  /// Steps through the rows of a statement.
  func read(
    _ cached: QueryStatement,
    of query: StoreQuery,
    _ body: (RowReader) throws -> Void
  ) throws {
    try connection.withStatement(cached.text) { statement in
      try statement.bind(cached.parameters)
      let reader = StatementRowReader(
        statement,
        plan: cached.rows,
        references: references,
        wanted: query.properties ?? []
      )
      while try statement.step() {
        try reader.move()
        try body(reader)
      }
    }
  }

  /// Returns the identifiers that a statement reads.
  func keys(_ cached: QueryStatement) throws -> [PersistentIdentifier] {
    try connection.withStatement(cached.text) { statement in
      try statement.bind(cached.parameters)
      let reader = StatementRowReader(statement, plan: cached.rows, references: references)
      var found: [PersistentIdentifier] = []
      while try statement.step() {
        try reader.move()
        found.append(reader.identifier)
      }
      return found
    }
  }

  /// Returns the count that a statement computes.
  func count(_ cached: QueryStatement) throws -> Int {
    try connection.withStatement(cached.text) { statement in
      try statement.bind(cached.parameters)
      return try statement.step() ? Int(statement.integer(at: 0)) : 0
    }
  }
}
