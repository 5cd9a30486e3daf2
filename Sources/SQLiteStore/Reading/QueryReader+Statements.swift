import SQLTranslation
import StoreProtocol

/// Statements that compute the whole result of a query.
extension QueryReader {
  /// Caches the statement of a plan, if others of its shape can reuse it.
  func keep(_ statement: QueryStatement, of plan: QueryPlan, _ result: QueryShapes.ResultKind) {
    if let shape = QueryShape(statement, of: plan) { connection.shapes.keep(shape, result) }
  }

  /// Steps through the rows of a statement, and returns whether it is valid.
  func read(
    _ statement: QueryStatement,
    of query: StoreQuery,
    _ body: (RowReader) throws -> Void
  ) throws -> Bool {
    try run(statement) { rows, hasRow in
      try forEachRow(of: rows, statement.rows, wanted: query.properties, hasRow: hasRow, body)
    } != nil
  }

  /// Returns the identifiers that a statement reads, or `nil` if it is not valid.
  func keys(_ statement: QueryStatement) throws -> [PersistentIdentifier]? {
    try run(statement) { rows, hasRow in
      var found: [PersistentIdentifier] = []
      try forEachRow(of: rows, statement.rows, wanted: nil, hasRow: hasRow) {
        found.append($0.identifier)
      }
      return found
    }
  }

  /// Returns the count that a statement computes, or `nil` if it is not valid.
  func count(_ statement: QueryStatement) throws -> Int? {
    try run(statement) { rows, hasRow in hasRow ? Int(rows.integer(at: 0)) : 0 }
  }

  /// Runs a statement that is at its first row, or returns `nil` if a column that it compares is
  /// marked.
  ///
  /// A mark is never removed. So a column without one was not marked before either, in the state that
  /// the statement sees since its first step. A statement that is not valid will never be again: the
  /// cache is cleared.
  private func run<Result>(
    _ statement: QueryStatement,
    _ body: (_ rows: Statement, _ hasRow: Bool) throws -> Result
  ) throws -> Result? {
    try connection.withStatement(statement.sql) { rows in
      let hasRow = try rows.step()
      if try statement.marks.contains(where: { try InexactColumns.isMarked($0, on: connection) }) {
        connection.shapes = QueryShapes()
        return nil
      }
      return try body(rows, hasRow)
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
    statement.marks = columns.map { $0.column.inexactMark(in: $0.table.name) }
    self.init(statement: statement, query: plan.query, contents: contents)
    guard self.statement(for: query)?.sql.parameters == parameters else { return nil }
    let counts = parameters.prefix(contents.count).reduce(into: [:]) { $0[$1, default: 0] += 1 }
    for (comparand, parameter) in zip(comparands, parameters) where !comparand.isFixed {
      if counts[parameter] != 1 { return nil }
    }
  }
}
