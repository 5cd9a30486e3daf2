import StoreProtocol

/// Statements that compute the whole result of a query.
extension QueryReader {
  /// Returns the statement of a query whose shape the connection has cached.
  func known(
    _ query: StoreQuery,
    _ answer: QueryShapes.Answer
  ) throws -> QueryStatement? {
    try connection.shapes.statement(of: query, answer, catalog: catalog) {
      try InexactColumns.isMarked($0, on: connection)
    }
  }

  /// Returns the cached statement of a query whose columns need no check of marks.
  func steady(_ query: StoreQuery, _ answer: QueryShapes.Answer) throws -> QueryStatement? {
    try connection.shapes.statement(of: query, answer, catalog: catalog, isMarked: nil)
  }

  /// Steps through the rows of a statement.
  func read(
    _ known: QueryStatement,
    of query: StoreQuery,
    _ body: (RowReader) throws -> Void
  ) throws {
    try connection.withStatement(known.text) { statement in
      try statement.bind(known.parameters)
      let reader = StatementRowReader(
        statement,
        plan: known.rows,
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
  func keys(_ known: QueryStatement) throws -> [PersistentIdentifier] {
    try connection.withStatement(known.text) { statement in
      try statement.bind(known.parameters)
      let reader = StatementRowReader(statement, plan: known.rows, references: references)
      var found: [PersistentIdentifier] = []
      while try statement.step() {
        try reader.move()
        found.append(reader.identifier)
      }
      return found
    }
  }

  /// Returns the count that a statement computes.
  func count(_ known: QueryStatement) throws -> Int {
    try connection.withStatement(known.text) { statement in
      try statement.bind(known.parameters)
      return try statement.step() ? Int(statement.integer(at: 0)) : 0
    }
  }
}
