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
  func test(_ number: Int, in view: ReadView) throws -> RowTest? {
    guard let source = view.tables[number], !passesAll else { return nil }
    let columns = conditions.map { $0.test(over: source.columns[$0.property]) }
    guard let remaining else { return RowTest(columns: columns, judge: nil) }
    let judge = try view.evaluator.test(remaining)
    return RowTest(columns: columns) { slot in
      try judge(StoredRow(view: view, source: source, slot: slot))
    }
  }
}

/// A filter over the rows of one table.
struct RowTest {
  fileprivate let columns: [ColumnTest]
  /// What the evaluator says of a row, nil where columns say all.
  fileprivate let judge: ((Int) throws -> Bool)?

  /// Whether the row of a slot passes.
  func passes(_ slot: Int) throws -> Bool {
    for column in columns where !column.passes(slot) { return false }
    return try judge?(slot) ?? true
  }

  /// Adds those of some slots whose rows pass to a list, not more than a limit in all.
  ///
  /// - Parameters:
  ///   - slots: The slots, which are used up.
  ///   - found: The list.
  ///   - limit: How long the list may become.
  /// - Returns: Whether there is room for more.
  /// - Throws: What the evaluator throws.
  func append(_ slots: inout [Int32], to found: inout [Int32], limit: Int) throws -> Bool {
    for column in columns { column.narrow(&slots) }
    for slot in slots {
      if let judge, try !judge(Int(slot)) { continue }
      found.append(slot)
      if found.count == limit { return false }
    }
    return true
  }
}

extension QueryExpression {
  /// The expressions that all must hold for this one to hold.
  var conjuncts: [QueryExpression] {
    if case .and(let parts) = self { parts.flatMap(\.conjuncts) } else { [self] }
  }
}
