import SQLTranslation
import StoreProtocol

/// How a query is answered: what SQL does, and what is left to the evaluator.
struct QueryPlan {
  let query: StoreQuery
  let rows: RowPlan

  /// What is read of the rows for a caller who wants some properties alone, where the evaluator
  /// does not look at any.
  var wanted: RowPlan { query.properties.map(rows.reading) ?? rows }

  /// What says more about the rows of the query in SQL.
  let translator: ConditionTranslator

  /// What SQL judges and what the evaluator does.
  let filter: FilterTranslator.Split

  /// The condition that tells the entity's rows from others in the table.
  private let kind: SQLFragment

  /// Whether all columns stand in the statement with the names of their tables, so that it may read
  /// others beside them.
  var namesTables: Bool { kind == .always }

  /// The order as SQL, nil where the evaluator has to sort.
  let order: SQLFragment?

  /// What the evaluator has to judge of the rows that are left, nil where SQL says it all.
  var rest: QueryExpression? { filter.remaining }

  /// Whether SQL gives the whole answer.
  var isNative: Bool { filter.rest.isEmpty && order != nil }

  /// The entities.
  let catalog: Catalog

  init(_ query: StoreQuery, catalog: Catalog, connection: Connection) throws {
    try query.checkDepth()
    self.query = query
    self.catalog = catalog
    rows = try catalog.plan(of: query.entity)
    let translator = ConditionTranslator(
      map: rows.map,
      catalog: catalog,
      connection: connection
    )
    self.translator = translator
    let condition = query.includesSubentities ? rows.familyCondition : rows.ownCondition
    kind = condition.map { SQLFragment($0) } ?? .always
    let filter = try FilterTranslator(conditions: translator).split(query.filter)
    self.filter = filter
    let order = try SortTranslator(conditions: translator, map: rows.map).order(query.sort)
    let prefersIndex =
      query.sort.isEmpty && filter.native.contains { [map = rows.map] in $0.isIndexedRange(map) }
    // The plus keeps the planner from walking the whole table in the order of keys where an index
    // has the range.
    self.order = prefersIndex ? order.map { "+\($0)" } : order
  }

  /// The statement that gives rows or keys.
  ///
  /// SQL takes the window only where nothing is left to do.
  func selection(_ head: SQLFragment, isWindowed: Bool) -> SQLFragment {
    var fragment = filtered(head)
    // Rows in the order of their keys cost nothing, and the evaluator sorts them faster.
    fragment = "\(fragment) ORDER BY \(order ?? SQLFragment(rows.map.table.key))"
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
    return "SELECT count(*) FROM (\(inner))"
  }

  /// A statement's beginning with the conditions of the plan, and others.
  func filtered(_ head: SQLFragment, adding others: [SQLFragment] = []) -> SQLFragment {
    let all = filter.fragments + others
    let condition: SQLFragment = kind == .always ? .all(all) : .all([kind] + all)
    return condition == .always ? head : "\(head) WHERE \(condition)"
  }

  private func addWindow(to fragment: inout SQLFragment) {
    let parameters = query.windowParameters
    guard !parameters.isEmpty else { return }
    let window = SQLFragment(parameters.count == 1 ? "LIMIT ?" : "LIMIT ? OFFSET ?", parameters)
    fragment = "\(fragment) \(window)"
  }
}

extension StoreQuery {
  /// What the statement's window takes: the limit, and the offset where there is one.
  var windowParameters: [SQLParameter] {
    guard offset > 0 || limit != nil else { return [] }
    // A negative limit is none.
    let limit = limit.map { Int64(max($0, 0)) } ?? -1
    let window = [SQLParameter.value(.integer(limit))]
    return offset > 0 ? window + [.value(.integer(Int64(offset)))] : window
  }
}

extension QueryExpression {
  /// Whether this is a range of a property that leads an index.
  fileprivate func isIndexedRange(_ map: EntityMap) -> Bool {
    switch self {
    case .compare(.less, let first, let second), .compare(.lessOrEqual, let first, let second),
      .compare(.greater, let first, let second),
      .compare(.greaterOrEqual, let first, let second):
      first.leadsIndex(map) || second.leadsIndex(map)
    case .isInRange(let value, _, _, _), .text(.startsWith, let value, .constant):
      value.leadsIndex(map)
    // Of a value that may be nil the opposite is no range.
    case .not(.compare(let comparison, .property(.element(0), let name), let second)):
      map.entity.property(named: name)?.isOptional == false
        && QueryExpression.compare(comparison, .property(.element(0), name), second)
          .isIndexedRange(map)
    default: false
    }
  }

  private func leadsIndex(_ map: EntityMap) -> Bool {
    guard case .property(.element(0), let name) = self else { return false }
    return (map.entity.indices + map.entity.allConstraints).contains { $0.first == name }
  }
}
