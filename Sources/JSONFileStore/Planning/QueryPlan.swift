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
    self.query = query
    self.view = view
    let family = try view.family(of: query)
    for number in family { try view.prepare(number) }
    try query.checkDepth()
    let expressions = query.filter?.conjuncts ?? []
    let planners = try family.map { try TablePlanner($0, expressions, in: view) }
      .filter { $0.table.count > 0 }
    tables = try planners.map { try $0.plan() }
    order = try Self.order(query, tables, planners, in: view)
  }

  /// The number of rows of the ordered result that are required, or `nil` for all.
  var wanted: Int? { query.windowEnd }

  private static func order(
    _ query: StoreQuery,
    _ tables: [TablePlan],
    _ planners: [TablePlanner],
    in view: ReadView
  ) throws -> OrderPlan? {
    guard !query.sort.isEmpty, !tables.isEmpty else { return nil }
    if let narrow = OrderPlan(narrowing: tables, query.sort, in: view) { return narrow }
    let total = planners.reduce(0) { $0 + $1.table.count }
    let found = tables.reduce(0) { $0 + $1.count }
    // In a scan of an index, the required rows are mixed with rows that do not pass; without it,
    // all found rows must be sorted.
    let walked = query.limit.map { limit in
      min(Double(total), Double(max(query.offset, 0)) + Double(limit)) * Double(total)
        / Double(max(found, 1))
    }
    let isNarrow = found < total
    if isNarrow, min(walked ?? .infinity, Double(total)) > Double(found) * 4 { return nil }
    return try OrderPlan(walking: planners, query.sort, in: view)
  }
}
