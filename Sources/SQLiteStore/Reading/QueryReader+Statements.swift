import SQLTranslation
import StoreProtocol

/// Statements that compute the whole result of a query.
extension QueryReader {
  /// Returns the statement of a query whose shape the connection has cached.
  func cachedStatement(
    _ query: StoreQuery,
    _ result: QueryShapes.ResultKind
  ) throws -> QueryStatement? {
    try connection.shapes.statement(of: query, result).flatMap { try isValid($0) ? $0 : nil }
  }

  /// Whether no column that a cached statement compares is marked.
  func isValid(_ cached: QueryStatement) throws -> Bool {
    try !cached.marks.contains { try InexactColumns.isMarked($0, on: connection) }
  }

  /// Caches the statement of a plan, if others of its shape can reuse it.
  func keep(_ statement: QueryStatement, of plan: QueryPlan, _ result: QueryShapes.ResultKind) {
    if let shape = QueryShape(statement, of: plan) { connection.shapes.keep(shape, result) }
  }

  /// Steps through the rows of a statement.
  func read(
    _ cached: QueryStatement,
    of query: StoreQuery,
    _ body: (RowReader) throws -> Void
  ) throws {
    try connection.withStatement(cached.sql) { statement in
      try forEachRow(of: statement, cached.rows, wanted: query.properties, body)
    }
  }

  /// Returns the identifiers that a statement reads.
  func keys(_ cached: QueryStatement) throws -> [PersistentIdentifier] {
    var found: [PersistentIdentifier] = []
    try connection.withStatement(cached.sql) { statement in
      try forEachRow(of: statement, cached.rows, wanted: nil) { found.append($0.identifier) }
    }
    return found
  }

  /// Returns the count that a statement computes.
  func count(_ cached: QueryStatement) throws -> Int {
    try connection.withStatement(cached.sql) { statement in
      try statement.first { Int($0.integer(at: 0)) } ?? 0
    }
  }
}

extension QueryShape {
  fileprivate init?(_ statement: QueryStatement, of plan: QueryPlan) {
    guard plan.isNative, let columns = plan.translator.state.unmarkedColumns,
      let comparands = plan.query.comparands(inShapeOf: plan.query)
    else { return nil }
    var contents: [ColumnMap.Content] = []
    for comparand in comparands {
      guard let term = try? plan.translator.term(comparand.expression) else { return nil }
      contents.append(term.content)
    }
    let parameters = statement.sql.parameters
    var statement = statement
    statement.marks = columns.map { InexactColumns.key(of: $0.column, in: $0.table) }
    self.init(statement: statement, query: plan.query, contents: contents)
    guard self.statement(for: query)?.sql.parameters == parameters else { return nil }
    let counts = parameters.prefix(contents.count).reduce(into: [:]) { $0[$1, default: 0] += 1 }
    for (comparand, parameter) in zip(comparands, parameters) where !comparand.isFixed {
      if counts[parameter] != 1 { return nil }
    }
  }
}
