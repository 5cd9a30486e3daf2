import StoreProtocol

/// Determines how to access the rows of one table that pass a filter.
struct TablePlanner {
  /// The table's index in the store.
  let number: Int
  let table: Table
  private let view: ReadView
  /// The expressions that all hold for the rows.
  private let expressions: [QueryExpression]
  /// The condition on a column that each expression implies, or `nil` if there is none.
  private let conditions: [ColumnCondition?]

  /// Creates a planner for the rows that satisfy all of several expressions.
  init(_ number: Int, _ expressions: [QueryExpression], in view: ReadView) throws {
    let table = try view.load(number)
    let types = view.map.types[number]
    self.view = view
    self.number = number
    self.table = table
    self.expressions = expressions
    conditions = expressions.map { ColumnCondition($0, table.entity, types) }
  }

  /// Returns the plan that examines the fewest rows.
  func plan() throws -> TablePlan {
    if let narrow = try narrowPlan(), isWorthwhile(narrow) { return narrow }
    return plan(.all, table.count)
  }

  /// Returns the plan that examines the rows of a source.
  ///
  /// - Parameters:
  ///   - source: The source.
  ///   - count: The number of its rows.
  ///   - covered: The positions of the expressions that all of them satisfy.
  /// - Returns: The plan.
  func plan(
    _ source: TablePlan.Source,
    _ count: Int,
    without covered: Set<Int> = []
  ) -> TablePlan {
    let filter = RowFilter(expressions, conditions, without: covered)
    return TablePlan(number: number, source: source, count: count, filter: filter)
  }

  // Slots of an index must be sorted, and are not contiguous in memory.
  private func isWorthwhile(_ plan: TablePlan) -> Bool {
    if case .slots = plan.source { return plan.count <= table.count }
    return table.count <= 1000 || plan.count <= table.count / 4
  }

  /// Returns the plan with the fewest rows that does not examine all of them.
  private func narrowPlan() throws -> TablePlan? {
    let direct = try Self.narrowest(identityPlans() + indexPlans())
    if let direct, direct.count <= Self.few { return direct }
    var others: [TablePlan] = []
    for case let condition? in conditions {
      if case .among(let list) = condition.test,
        view.map.types[number][condition.property] == .reference
      {
        others.append(try referencePlan(list, by: condition.property))
      }
    }
    if let direct { others.append(direct) }
    if let best = Self.narrowest(others) { return best }
    for case .or(let parts) in expressions {
      if let union = try unionPlan(parts) { others.append(union) }
    }
    return Self.narrowest(others)
  }

  /// The number of rows below which no other plan is considered.
  private static let few = 64

  private static func narrowest(_ plans: [TablePlan]) -> TablePlan? {
    plans.min { $0.count < $1.count }
  }

  /// Returns the plans for rows by identifier.
  private func identityPlans() -> [TablePlan] {
    expressions.enumerated().compactMap { position, expression in
      let query = StoreQuery(entity: table.entity.name, filter: expression)
      guard let identifiers = query.identifiers else { return nil }
      let slots = Set(identifiers.compactMap(\.integerKey)).compactMap(table.slot).sorted()
      let source = TablePlan.Source.slots(slots.map { Int32($0) }, how: "by identity")
      return plan(source, slots.count, without: [position])
    }
  }

  /// Returns the plans of all useful indexes.
  private func indexPlans() throws -> [TablePlan] {
    let known = conditions.enumerated().compactMap { position, condition in
      condition.map { (number: position, condition: $0) }
    }
    return try view.map.indexes[number].compactMap { properties in
      // Without a condition on its first property, an index finds nothing.
      guard known.contains(where: { $0.condition.property == properties.first }),
        let match = try IndexMatch.find(properties, known, number, in: view)
      else { return nil }
      return plan(.index(match), match.count, without: match.covered)
    }
  }

  /// Returns the plan for rows that refer to given ones.
  private func referencePlan(_ list: [StoreValue], by property: Int) throws -> TablePlan {
    let indexed = try view.indexed(number, property)
    var slots: [Int32] = []
    for value in list.sortedOnce {
      guard case .identifier(let identifier) = value, let key = identifier.integerKey else {
        continue
      }
      slots += indexed.slots(referringTo: key, by: property)
    }
    let how = "by reference (\(table.entity.properties[property].name))"
    return plan(.slots(slots.sorted(), how: how), slots.count)
  }

  /// Returns the plan for rows that any of several plans finds, or `nil` if a part has none.
  private func unionPlan(_ parts: [QueryExpression]) throws -> TablePlan? {
    var slots: Set<Int32> = []
    var ways: [String] = []
    for part in parts {
      let planner = try TablePlanner(number, part.conjuncts, in: view)
      guard let plan = try planner.narrowPlan(), isWorthwhile(plan) else { return nil }
      slots.formUnion(try plan.slots(in: view))
      ways += [plan.way(table.entity)].filter { !ways.contains($0) }
    }
    let how = ways.joined(separator: " or ")
    return plan(.slots(slots.sorted(), how: how), slots.count)
  }
}
