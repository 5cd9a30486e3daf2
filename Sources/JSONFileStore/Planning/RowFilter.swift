import StoreProtocol

/// What is left to ask of the rows of one table: columns first, then the evaluator.
struct RowFilter {
  /// The conditions that columns decide.
  let conditions: [ColumnCondition]
  /// What the evaluator judges, nil for nothing.
  let remaining: QueryExpression?

  /// All of several expressions must hold.
  init(_ expressions: [QueryExpression], _ entity: StoreEntity, _ types: [CellType]) {
    var conditions: [ColumnCondition] = []
    var remaining: [QueryExpression] = []
    for expression in expressions {
      if let condition = ColumnCondition(expression, entity, types), condition.isExact {
        conditions.append(condition)
      } else {
        remaining.append(expression)
      }
    }
    self.conditions = conditions
    self.remaining = remaining.count > 1 ? .and(remaining) : remaining.first
  }

  /// Whether every row passes.
  var passesAll: Bool { conditions.isEmpty && remaining == nil }

  /// The filter as a test of slots, nil where every row passes.
  func test(_ number: Int, in view: ReadView) throws -> ((Int) throws -> Bool)? {
    guard let source = view.tables[number], !passesAll else { return nil }
    let tests = conditions.map { $0.test(over: source.columns[$0.property]) }
    guard let remaining else {
      if tests.count == 1 { return tests[0] }
      return { slot in tests.allSatisfy { $0(slot) } }
    }
    let judges = try view.evaluator.test(remaining)
    return { slot in
      for test in tests where !test(slot) { return false }
      return try judges(StoredRow(view: view, source: source, slot: slot))
    }
  }
}

extension QueryExpression {
  /// The expressions that all must hold for this one to hold.
  var conjuncts: [QueryExpression] {
    if case .and(let parts) = self { parts.flatMap(\.conjuncts) } else { [self] }
  }
}
