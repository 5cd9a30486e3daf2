import QueryEvaluation
import StoreProtocol

/// Evaluates selections on one connection, in one state of the database.
///
/// It takes the first possible of three ways. SQL groups the rows and computes the columns; or SQL
/// returns the values that the selection needs, and the contract's evaluator computes the result;
/// or that evaluator reads the rows.
struct SelectionReader {
  let reader: QueryReader

  private var catalog: Catalog { reader.catalog }
  private var connection: Connection { reader.connection }

  func select(_ selection: StoreSelection, _ body: ([StoreValue]) throws -> Void) throws {
    try selection.check()
    // For groups, without order and window: these apply to the groups.
    let plan = try QueryPlan(selection.rowQuery, catalog: catalog, connection: connection)
    if let groups = try GroupStatement(selection, plan) {
      do {
        return try read(groups, body)
      } catch let error as SQLiteError where error.kind == .other {
        // A sum does not fit into 64 bits; no results have been returned yet.
      }
    }
    if let values = try ValueStatement(selection, plan) { return try read(values, body) }
    try evaluate(selection, plan, body)
  }

  /// Returns the groups that SQL computed.
  private func read(
    _ groups: GroupStatement,
    _ body: ([StoreValue]) throws -> Void
  ) throws {
    let results = try connection.withStatement(groups.sql) { statement in
      try statement.rows { try groups.resultGroup($0, resolve: resolved) }
    }
    for result in try groups.selection.windowed(results) { try body(result.values) }
  }

  /// Evaluates the values that SQL returned for each row.
  private func read(
    _ values: ValueStatement,
    _ body: ([StoreValue]) throws -> Void
  ) throws {
    let row = LeafRow<Statement>(values.contents, offset: 0, resolve: resolved)
    let evaluator = QueryEvaluator<LeafRow<Statement>>(
      schema: catalog.map.schema,
      row: { _ in nil },
      members: { _, _ in [] }
    )
    var selection = try SelectionEvaluator(values.selection, evaluator: evaluator)
    try connection.withStatement(values.sql) { statement in
      row.source = statement
      while try statement.step() {
        try selection.add(row) { result in
          try row.failure.check()
          try body(result)
        }
        try row.failure.check()
      }
    }
    try selection.finish(body)
  }

  /// Evaluates the rows that the evaluator reads.
  private func evaluate(
    _ selection: StoreSelection,
    _ plan: QueryPlan,
    _ body: ([StoreValue]) throws -> Void
  ) throws {
    var evaluator = try SelectionEvaluator(selection, evaluator: reader.evaluator())
    let failure = EvaluationFailure()
    try reader.read(plan.query) { current in
      try evaluator.add(StoredRow(current: current, current.identifier, failure)) { values in
        try failure.check()
        try body(values)
      }
      try failure.check()
    }
    try evaluator.finish(body)
  }

  /// Returns an identifier with the row's own entity.
  private func resolved(_ identifier: PersistentIdentifier) throws -> PersistentIdentifier {
    guard let key = identifier.integerKey else { return identifier }
    let map = try catalog.map.entity(named: identifier.entityName)
    return try reader.references.identifier(
      key,
      in: map.table.name,
      entity: identifier.entityName
    )
  }
}
