import StoreProtocol

/// The plan of a query, which is determined before it runs.
struct QueryPlan {
  let view: ReadView
  let query: StoreQuery
  /// The plans of the tables; tables without rows are left out.
  let tables: [TablePlan]
  /// The order by indexes, or `nil` if the rows are sorted.
  let order: OrderPlan?

  /// Creates a plan from the filter, the order and the available indexes.
  init(_ query: StoreQuery, in view: ReadView) throws {
    try query.checkDepth()
    self.query = query
    self.view = view
    let family = try view.family(of: query).filter { try view.load($0).count > 0 }
    let expressions = query.filter?.conjuncts ?? []
    let planners = try family.map { try TablePlanner($0, in: view) }
    tables = try planners.map { try $0.plan(expressions) }
    order = try Self.order(query, expressions, tables, in: view)
  }

  /// The number of rows of the ordered result that are required, or `nil` for all.
  var wanted: Int? { query.windowEnd }

  private static func order(
    _ query: StoreQuery,
    _ expressions: [QueryExpression],
    _ tables: [TablePlan],
    in view: ReadView
  ) throws -> OrderPlan? {
    guard !query.sort.isEmpty, !tables.isEmpty else { return nil }
    if let narrow = OrderPlan(narrowing: tables, query.sort, in: view) { return narrow }
    let numbers = tables.map(\.number)
    let total = try numbers.reduce(0) { try $0 + view.load($1).count }
    let found = tables.reduce(0) { $0 + $1.count }
    // In a scan of an index, the required rows are mixed with rows that do not pass; without it,
    // all found rows must be sorted.
    let walked = query.limit.map { limit in
      min(Double(total), Double(max(query.offset, 0)) + Double(limit)) * Double(total)
        / Double(max(found, 1))
    }
    let isNarrow = found < total
    if isNarrow, min(walked ?? .infinity, Double(total)) > Double(found) * 4 { return nil }
    return try OrderPlan(walking: numbers, expressions, query.sort, in: view)
  }
}
