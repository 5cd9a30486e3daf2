import StoreProtocol

/// How a query is answered, decided before it is.
struct QueryPlan {
  let view: ReadView
  let query: StoreQuery
  /// How the rows of each table are found; tables without rows are left out.
  let tables: [TablePlan]
  /// How indexes give the order, where they do; else the rows are sorted.
  let order: OrderPlan?

  /// Looks at what filter and order ask for and at the indexes that there are.
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

  /// How many rows of the ordered answer are looked for, nil for all.
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
    // With a walk through an index the wanted rows come after others that do not pass; without
    // one, all that were found have to be sorted.
    let walked = query.limit.map { limit in
      min(Double(total), Double(max(query.offset, 0)) + Double(limit)) * Double(total)
        / Double(max(found, 1))
    }
    let isNarrow = found < total
    if isNarrow, min(walked ?? .infinity, Double(total)) > Double(found) * 4 { return nil }
    return try OrderPlan(walking: numbers, expressions, query.sort, in: view)
  }
}
