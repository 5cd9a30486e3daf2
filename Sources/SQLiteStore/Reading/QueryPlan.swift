import SQLTranslation
import StoreProtocol

/// The plan of a query: a part for SQL and a part for the evaluator.
struct QueryPlan {
  let query: StoreQuery
  let rows: RowPlan

  /// The plan for the rows if the caller requests only some properties and the evaluator needs
  /// none.
  var wanted: RowPlan { query.properties.map(rows.reading) ?? rows }

  /// The translator for further conditions on the query's rows.
  let translator: ConditionTranslator

  /// The conditions for SQL and those for the evaluator.
  let filter: FilterTranslator.Split

  /// The condition that selects the entity's rows in the table.
  private let kind: SQLFragment

  /// Whether table names qualify all columns of the statement, so that it can read other tables
  /// too.
  var namesTables: Bool { kind == .always }

  /// The order in SQL, or `nil` if the evaluator has to sort.
  let order: SQLFragment?

  /// The condition that the evaluator applies to the remaining rows, or `nil` if there is none.
  var rest: QueryExpression? { filter.remaining }

  /// Whether SQL computes the whole result.
  var isNative: Bool { filter.rest.isEmpty && order != nil }

  init(_ query: StoreQuery, catalog: Catalog, connection: Connection) throws {
    try query.checkDepth()
    self.query = query
    rows = try catalog.plan(of: query.entity)
    translator = ConditionTranslator(map: rows.map, catalog: catalog, connection: connection)
    let condition = query.includesSubentities ? rows.familyCondition : rows.ownCondition
    kind = condition.map { SQLFragment($0) } ?? .always
    filter = try FilterTranslator(conditions: translator).split(query.filter)
    let order = try SortTranslator(conditions: translator, map: rows.map).order(query.sort)
    let prefersIndex =
      query.sort.isEmpty && filter.native.contains { [map = rows.map] in $0.isIndexedRange(map) }
    // The plus keeps the planner from scanning the whole table in the order of keys if an index has
    // the range.
    self.order = prefersIndex ? order.map { "+\($0)" } : order
  }

  /// Returns the statement for rows or keys.
  ///
  /// SQL applies the window only if the evaluator has nothing to do.
  func selection(_ head: SQLFragment, isWindowed: Bool) -> SQLFragment {
    var fragment = filtered(head)
    // Rows in the order of their keys cost nothing, and the evaluator sorts them faster.
    fragment = "\(fragment) ORDER BY \(order ?? SQLFragment(rows.map.table.key))"
    if isWindowed { addWindow(to: &fragment) }
    return fragment
  }

  /// Returns the statement that counts the rows in the window.
  func count() -> SQLFragment {
    guard query.offset > 0 || query.limit != nil else {
      return filtered("SELECT count(*) FROM \(rows.map.table.sql)")
    }
    var inner = filtered("SELECT 1 FROM \(rows.map.table.sql)")
    addWindow(to: &inner)
    return "SELECT count(*) FROM (\(inner))"
  }

  /// Returns the start of a statement with the conditions of the plan, and others.
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

extension QueryExpression {
  /// Whether this is a range of a property that is the first of an index.
  fileprivate func isIndexedRange(_ map: EntityMap) -> Bool {
    switch self {
    case .compare(.less, let first, let second), .compare(.lessOrEqual, let first, let second),
      .compare(.greater, let first, let second),
      .compare(.greaterOrEqual, let first, let second):
      first.leadsIndex(map) || second.leadsIndex(map)
    case .isInRange(let value, _, _, _), .text(.startsWith, let value, .constant):
      value.leadsIndex(map)
    // The negation of a comparison is no range if the value may be nil.
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

extension ConditionTranslator {
  /// Creates a translator for a connection.
  init(map: EntityMap, catalog: Catalog, connection: Connection) {
    let state = TranslationState(
      SQLiteDialect(hasFiles: connection.options.files != nil),
      rootTable: map.table.name,
      isMarked: { try InexactColumns.isMarked($0.column, in: $0.table, on: connection) }
    )
    self.init(map: map, catalog: catalog, state: state)
  }
}
