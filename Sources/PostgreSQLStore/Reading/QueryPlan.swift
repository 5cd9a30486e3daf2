import PostgreSQLClient
import SQLTranslation
import StoreProtocol

/// The plan of a query: a part for SQL and a part for the evaluator.
struct QueryPlan {
  let query: StoreQuery
  let table: EntityTable

  /// The translator for further values of the query's rows.
  let translator: ConditionTranslator

  /// The conditions for SQL and those for the evaluator.
  let filter: FilterTranslator.Split

  /// The conditions for SQL that are necessary for those of the evaluator.
  private let necessary: [SQLFragment]

  /// The condition that selects the entity's rows in the table.
  private let kind: SQLFragment

  /// The condition that the store has the schema with which it was opened.
  private let unchangedSchema: String?

  /// The order in SQL, or `nil` if the evaluator sorts.
  private let order: SQLFragment?

  init(_ query: StoreQuery, _ map: StoreMap) throws {
    try query.checkDepth()
    self.query = query
    table = try map.table(of: query.entity)
    unchangedSchema = map.unchangedSchema
    let entity = try map.entity(named: query.entity)
    translator = ConditionTranslator(
      map: entity,
      catalog: map,
      state: TranslationState(
        PostgreSQLDialect(),
        rootTable: table.root,
        isMarked: { source in source.column.type.map(PostgreSQLDialect().needsCare) ?? false }
      )
    )
    let condition =
      query.includesSubentities ? entity.entityCondition : entity.table.isExactly(query.entity)
    kind = condition.map { SQLFragment($0) } ?? .always
    filter = try FilterTranslator(conditions: translator).split(query.filter)
    necessary = try filter.rest.compactMap(translator.necessaryCondition)
      .filter(\.isWithinLimits)
    order = try SortTranslator(conditions: translator, map: entity).order(query.sort)
  }

  /// Whether table names qualify all columns of the conditions, so that a statement can read other
  /// tables too.
  var namesTables: Bool { kind == .always }

  /// Whether SQL computes the order.
  var sorts: Bool { order != nil }

  /// Whether SQL computes the whole result.
  var isNative: Bool { filter.rest.isEmpty && sorts }

  /// The part of the query that the evaluator applies to the rows of ``request``.
  var remaining: StoreQuery {
    var rest = query
    rest.filter = filter.remaining
    return rest
  }

  /// The rows of the query, in order and within the window if the evaluator has nothing to do.
  var request: RowRequest {
    let isOrdered = isNative ? order : nil
    let rest: SQLFragment = isOrdered.map { "\(condition)ORDER BY \($0)\(window)" } ?? condition
    return RowRequest(table, rest, unchangedSchema: unchangedSchema)
  }

  /// The statement that counts the rows, within the window.
  var count: Statement {
    guard query.limit != nil || query.offset > 0 else {
      return RowRequest(table, condition).statement(selecting: "count(*)")
    }
    let rows: SQLFragment = "SELECT FROM \(table.name) \(condition)\(window)"
    let count: SQLFragment = "SELECT count(*) FROM (\(rows)) AS q"
    return count.statement
  }

  /// The clause that selects the rows, or an empty one for all.
  var condition: SQLFragment { condition() }

  /// Returns the clause that selects the rows for which further conditions hold.
  func condition(_ others: SQLFragment...) -> SQLFragment {
    let condition = SQLFragment.all([kind] + filter.fragments + necessary + others)
    return condition == .always ? "" : "WHERE \(condition) "
  }

  private var window: SQLFragment {
    var window: SQLFragment = ""
    if let limit = query.limit { window = " LIMIT \(bind: .integer(Int64(max(limit, 0))))" }
    if query.offset > 0 { window = "\(window) OFFSET \(bind: .integer(Int64(query.offset)))" }
    return window
  }
}
