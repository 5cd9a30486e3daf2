import QueryEvaluation
import StoreProtocol

/// The remaining tests of the rows of one table: columns first, then the evaluator.
struct RowFilter {
  /// The conditions that columns decide.
  let conditions: [ColumnCondition]
  /// The condition that the evaluator tests, or `nil` if there is none.
  let remaining: QueryExpression?

  /// Creates a filter for rows that satisfy all of several expressions.
  ///
  /// - Parameters:
  ///   - expressions: The expressions.
  ///   - known: The condition on a column that each of them implies, or `nil` if there is none.
  ///   - covered: The positions of those that all rows satisfy.
  init(_ expressions: [QueryExpression], _ known: [ColumnCondition?], without covered: Set<Int>) {
    var conditions: [ColumnCondition] = []
    var remaining: [QueryExpression] = []
    for (position, expression) in expressions.enumerated() where !covered.contains(position) {
      if let condition = known[position], condition.isExact {
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

  /// Returns the filter as a test of slots, or `nil` if every row passes.
  func test(_ number: Int, in view: ReadView) throws -> RowTest? {
    guard let source = view.tables[number], !passesAll else { return nil }
    let columns = conditions.map { $0.test(over: source.columns[$0.property]) }
    guard let remaining else { return RowTest(columns: columns, passes: nil) }
    let passes = try view.evaluator.test(remaining)
    return RowTest(columns: columns) { slot in
      try passes(StoredRow(view: view, source: source, slot: slot))
    }
  }
}

/// A filter over the rows of one table.
struct RowTest {
  fileprivate let columns: [ColumnTest]
  /// The evaluator's test of a row, or `nil` if the columns decide everything.
  fileprivate let passes: ((Int) throws -> Bool)?

  func passes(_ slot: Int) throws -> Bool {
    for column in columns where !column.passes(slot) { return false }
    return try passes?(slot) ?? true
  }

  /// Appends the slots whose rows pass to a list, up to a limit.
  ///
  /// - Parameters:
  ///   - slots: The slots, which are consumed.
  ///   - found: The list.
  ///   - limit: The maximum length of the list.
  /// - Returns: Whether the list is below the limit.
  /// - Throws: The errors of the evaluator.
  func append(_ slots: inout [Int32], to found: inout [Int32], limit: Int) throws -> Bool {
    for column in columns { column.narrow(&slots) }
    for slot in slots {
      if let passes, try !passes(Int(slot)) { continue }
      found.append(slot)
      if found.count == limit { return false }
    }
    return true
  }
}

extension QueryExpression {
  /// The expressions that must all hold for this one to hold.
  var conjuncts: [QueryExpression] {
    if case .and(let parts) = self { parts.flatMap(\.conjuncts) } else { [self] }
  }
}

/// A test of the rows of a table that reads one column only.
///
/// It is created where the column's type is known, so that specialized code processes a block of
/// rows: a closure for single rows would be called for each, and again for each list.
struct ColumnTest {
  /// Whether the row of a slot passes.
  let passes: (Int) -> Bool
  /// Removes the slots whose rows do not pass.
  let narrow: (inout [Int32]) -> Void

  /// Tests whether a value is present and between two others.
  @inline(__always)
  init<Value: Comparable>(
    _ values: [Value],
    _ nulls: Bitmap,
    from low: Value,
    through high: Value
  ) {
    passes = { Self.isBetween(values[$0], from: low, through: high) && !nulls.contains($0) }
    narrow = { slots in
      Self.narrow(&slots) {
        Self.isBetween(values[$0], from: low, through: high) && !nulls.contains($0)
      }
    }
  }

  /// Performs any other test.
  init(_ passes: @escaping (Int) -> Bool) {
    self.passes = passes
    narrow = { Self.narrow(&$0, passes) }
  }

  @inline(__always)
  private static func isBetween<Value: Comparable>(
    _ value: Value,
    from low: Value,
    through high: Value
  ) -> Bool {
    value >= low && value <= high
  }

  /// Filters slots without a branch that depends on a row.
  @inline(__always)
  private static func narrow(_ slots: inout [Int32], _ passes: (Int) -> Bool) {
    let count = slots.withUnsafeMutableBufferPointer { slots in
      var kept = 0
      for index in slots.indices {
        let slot = slots[index]
        slots[kept] = slot
        kept += passes(Int(slot)) ? 1 : 0
      }
      return kept
    }
    slots.removeLast(slots.count - count)
  }
}
