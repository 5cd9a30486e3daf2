import StoreProtocol

/// Determines how to access the rows of one table that pass a filter.
struct TablePlanner {
  private let view: ReadView
  private let number: Int
  private let table: Table
  private var types: [CellType] { view.map.types[number] }

  init(_ number: Int, in view: ReadView) throws {
    self.view = view
    self.number = number
    table = try view.load(number)
  }

  /// Returns the plan that examines the fewest rows, for the conjunction of the expressions.
  func plan(_ expressions: [QueryExpression]) throws -> TablePlan {
    if let narrow = try narrowPlan(expressions), isWorthwhile(narrow) { return narrow }
    return scan(expressions)
  }

  /// Returns the plan that examines all rows.
  func scan(_ expressions: [QueryExpression]) -> TablePlan {
    TablePlan(
      number: number,
      source: .all,
      count: table.count,
      filter: RowFilter(expressions, table.entity, types)
    )
  }

  // Slots of an index must be sorted, and are not contiguous in memory.
  private func isWorthwhile(_ plan: TablePlan) -> Bool {
    if case .slots = plan.source { return plan.count <= table.count }
    return table.count <= 1000 || plan.count <= table.count / 4
  }

  /// Returns the plan with the fewest rows that does not examine all of them.
  private func narrowPlan(_ expressions: [QueryExpression]) throws -> TablePlan? {
    let direct = try Self.narrowest(identityPlans(expressions) + indexPlans(expressions))
    if let direct, direct.count <= Self.few { return direct }
    let references = try expressions.compactMap { try referencePlan($0, expressions) }
    if let best = Self.narrowest(references + [direct].compactMap { $0 }) { return best }
    return try Self.narrowest(expressions.compactMap { try unionPlan($0, expressions) })
  }

  /// The number of rows below which no other plan is considered.
  private static let few = 64

  private static func narrowest(_ plans: [TablePlan]) -> TablePlan? {
    plans.min { $0.count < $1.count }
  }

  private func plan(
    _ source: TablePlan.Source,
    _ count: Int,
    _ expressions: [QueryExpression],
    without covered: Set<Int> = []
  ) -> TablePlan {
    let rest = expressions.enumerated().filter { !covered.contains($0.offset) }.map(\.element)
    return TablePlan(
      number: number,
      source: source,
      count: count,
      filter: RowFilter(rest, table.entity, types)
    )
  }

  // Rows by identifier.

  private func identityPlans(_ expressions: [QueryExpression]) -> [TablePlan] {
    expressions.enumerated().compactMap { position, expression in
      let query = StoreQuery(entity: table.entity.name, filter: expression)
      guard let identifiers = query.identifiers else { return nil }
      let slots = Set(identifiers.compactMap(\.integerKey)).compactMap(table.slot).sorted()
      return plan(
        .slots(slots.map { Int32($0) }, how: "by identity"),
        slots.count,
        expressions,
        without: [position]
      )
    }
  }

  // Rows by values.

  /// Returns the plans of all useful indexes.
  func indexPlans(_ expressions: [QueryExpression]) throws -> [TablePlan] {
    let conditions = expressions.enumerated().compactMap { position, expression in
      ColumnCondition(expression, table.entity, types).map { (number: position, condition: $0) }
    }
    guard !conditions.isEmpty else { return [] }
    return try view.map.indexes[number].compactMap { properties in
      guard let match = try IndexMatch.find(properties, conditions, number, in: view) else {
        return nil
      }
      return plan(.index(match), match.count, expressions, without: match.covered)
    }
  }

  // Rows that refer to given ones.

  private func referencePlan(
    _ expression: QueryExpression,
    _ expressions: [QueryExpression]
  ) throws -> TablePlan? {
    guard let condition = ColumnCondition(expression, table.entity, types),
      types[condition.property] == .reference, case .among(let list) = condition.test
    else { return nil }
    let indexed = try view.indexed(number, condition.property)
    var slots: [Int32] = []
    for value in list.sortedOnce {
      guard case .identifier(let identifier) = value, let key = identifier.integerKey else {
        continue
      }
      slots += indexed.slots(referringTo: key, by: condition.property)
    }
    let name = table.entity.properties[condition.property].name
    return plan(.slots(slots.sorted(), how: "by reference (\(name))"), slots.count, expressions)
  }

  // Rows that any of several plans finds.

  private func unionPlan(
    _ expression: QueryExpression,
    _ expressions: [QueryExpression]
  ) throws -> TablePlan? {
    guard case .or(let parts) = expression else { return nil }
    var slots: Set<Int32> = []
    var ways: [String] = []
    for part in parts {
      guard let plan = try narrowPlan(part.conjuncts), isWorthwhile(plan) else { return nil }
      slots.formUnion(try plan.slots(in: view))
      ways += [plan.way(table.entity)].filter { !ways.contains($0) }
    }
    let how = ways.joined(separator: " or ")
    return plan(.slots(slots.sorted(), how: how), slots.count, expressions)
  }
}
