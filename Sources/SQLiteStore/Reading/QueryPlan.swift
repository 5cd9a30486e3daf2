import StoreProtocol

/// How a query is answered: what SQL does, and what is left to the evaluator.
struct QueryPlan {
  let query: StoreQuery
  let rows: RowPlan

  /// The conditions that SQL judges.
  private let conditions: [SQLFragment]

  /// What the evaluator has to judge of the rows that are left, nil where SQL says it all.
  let rest: QueryExpression?

  /// The order as SQL text, nil where the evaluator has to sort.
  let order: String?

  /// Whether SQL gives the whole answer.
  var isNative: Bool { rest == nil && order != nil }

  init(_ query: StoreQuery, catalog: Catalog, connection: Connection) throws {
    self.query = query
    rows = try catalog.plan(of: query.entity)
    let translator = ConditionTranslator(
      map: rows.map,
      catalog: catalog,
      connection: connection
    )
    var conditions: [SQLFragment] = []
    let kind = query.includesSubentities ? rows.familyCondition : rows.ownCondition
    if let kind { conditions.append(SQLFragment(kind)) }
    let split = try query.filter.map(translator.split)
    if let native = split?.native { conditions.append(native) }
    self.conditions = conditions
    rest = split?.rest
    let order = try SortTranslator(conditions: translator).order(query.sort)
    let prefersIndex = query.sort.isEmpty && query.filter?.hasIndexedRange(rows.map) == true
    // The plus keeps the planner from walking the whole table in the order of keys where an index
    // has the range.
    self.order = prefersIndex ? order.map { "+\($0)" } : order
  }

  /// The statement that gives rows or keys.
  ///
  /// SQL takes the window only where nothing is left to do.
  func selection(_ head: String, isWindowed: Bool) -> SQLFragment {
    var fragment = filtered(head)
    // Rows in the order of their keys cost nothing, and the evaluator sorts them faster.
    fragment.text += " ORDER BY \(order ?? rows.map.table.key)"
    if isWindowed { addWindow(to: &fragment) }
    return fragment
  }

  /// The statement that counts, window included.
  func count() -> SQLFragment {
    guard query.offset > 0 || query.limit != nil else {
      return filtered("SELECT count(*) FROM \(rows.map.table.sql)")
    }
    var inner = filtered("SELECT 1 FROM \(rows.map.table.sql)")
    addWindow(to: &inner)
    return SQLFragment("SELECT count(*) FROM (\(inner.text))", inner.values)
  }

  private func filtered(_ head: String) -> SQLFragment {
    guard !conditions.isEmpty else { return SQLFragment(head) }
    let condition = SQLFragment.joined(conditions, by: "AND")
    return SQLFragment("\(head) WHERE \(condition.text)", condition.values)
  }

  private func addWindow(to fragment: inout SQLFragment) {
    let offset = max(query.offset, 0)
    guard offset > 0 || query.limit != nil else { return }
    fragment.text += " LIMIT ?"
    // A negative limit is none.
    fragment.values.append(.integer(query.limit.map { Int64(max($0, 0)) } ?? -1))
    guard offset > 0 else { return }
    fragment.text += " OFFSET ?"
    fragment.values.append(.integer(Int64(offset)))
  }
}

extension QueryExpression {
  /// Whether one of the conditions is a range of a property that leads an index.
  fileprivate func hasIndexedRange(_ map: EntityMap) -> Bool {
    conjuncts.contains { term in
      switch term {
      case .compare(.less, let first, let second), .compare(.lessOrEqual, let first, let second),
        .compare(.greater, let first, let second),
        .compare(.greaterOrEqual, let first, let second):
        first.leadsIndex(map) || second.leadsIndex(map)
      case .isInRange(let value, _, _, _): value.leadsIndex(map)
      default: false
      }
    }
  }

  private func leadsIndex(_ map: EntityMap) -> Bool {
    guard case .property(.element(0), let name) = self else { return false }
    return (map.entity.indices + map.entity.allConstraints).contains { $0.first == name }
  }
}
