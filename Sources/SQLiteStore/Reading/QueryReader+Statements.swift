import StoreProtocol

/// Statements that give the whole answer to a query.
extension QueryReader {
  /// The statement of a query whose shape the connection knows.
  func known(
    _ query: StoreQuery,
    _ answer: QueryShapes.Answer
  ) throws -> QueryStatement? {
    try connection.shapes.statement(of: query, answer, catalog: catalog) {
      try InexactColumns.isMarked($0, on: connection)
    }
  }

  /// The same, where no mark has to be looked at.
  func steady(_ query: StoreQuery, _ answer: QueryShapes.Answer) throws -> QueryStatement? {
    try connection.shapes.statement(of: query, answer, catalog: catalog, isMarked: nil)
  }

  /// Steps through the rows that a statement gives.
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

  /// Gives the identifiers that a statement gives.
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

  /// The number that a statement gives.
  func count(_ known: QueryStatement) throws -> Int {
    try connection.withStatement(known.text) { statement in
      try statement.bind(known.parameters)
      return try statement.step() ? Int(statement.integer(at: 0)) : 0
    }
  }
}
