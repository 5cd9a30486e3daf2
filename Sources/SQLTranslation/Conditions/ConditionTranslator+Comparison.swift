import QueryEvaluation
import StoreProtocol

/// Comparisons of a value with a constant or with another value of the row.
extension ConditionTranslator {
  package func compared(
    _ comparison: QueryExpression.Comparison,
    _ first: QueryExpression,
    _ second: QueryExpression,
    _ side: Side
  ) throws -> SQLFragment? {
    // Inequality is translated as the failure of equality.
    if comparison == .notEqual { return try compared(.equal, first, second, side.opposite) }
    switch (first, second) {
    case (_, .constant(let value)): return try compared(comparison, first, with: value, side)
    case (.constant(let value), _):
      return try compared(comparison.flipped, second, with: value, side)
    default: return try compared(comparison, terms: first, second, side)
    }
  }

  /// Compares an expression with a constant.
  private func compared(
    _ comparison: QueryExpression.Comparison,
    _ expression: QueryExpression,
    with value: StoreValue,
    _ side: Side
  ) throws -> SQLFragment? {
    if case .bool(let constant) = value, comparison == .equal,
      let translated = try comparedBoolean(expression, with: constant, side)
    {
      return translated
    }
    guard let term = try term(expression) else { return nil }
    if value.isNull { return comparedNull(comparison, term, side) }
    guard let operand = dialect.operand(value, for: term.content) else { return nil }
    guard let constant = operand.value else {
      guard comparison == .equal else { return nil }
      return side == .holds ? .never : .all(term.demands)
    }
    if case .equatable = operand, comparison != .equal { return nil }
    let test = try test(comparison, constant, of: term)
    if side == .fails, test.exactness == .exact { return failing(test, term) }
    return translated(term, side) { test($0) }
  }

  private func test(
    _ comparison: QueryExpression.Comparison,
    _ operand: BoundValue,
    of term: SQLTerm
  ) throws -> ColumnTest {
    ColumnTest(
      comparison: comparison,
      operand: operand,
      exactness: try exactness(of: term),
      dialect: dialect
    )
  }

  /// Returns the failure of a comparison in a form for which a database can use an index.
  private func failing(_ test: ColumnTest, _ term: SQLTerm) -> SQLFragment {
    let column = term.value
    let failure: SQLFragment
    if test.comparison == .equal {
      failure = "\(column) \(dialect.isDistinct) \(bind: test.operand)"
    } else if term.canBeNull {
      failure = "(\(test(column))) IS NOT TRUE"
    } else {
      failure = "\(column) \(test.comparison.opposite.sqlOperator) \(bind: test.operand)"
    }
    return .all(term.demands + [failure])
  }

  private func comparedNull(
    _ comparison: QueryExpression.Comparison,
    _ term: SQLTerm,
    _ side: Side
  ) -> SQLFragment {
    // Nothing is less or greater than nil.
    guard comparison == .equal, term.canBeNull else {
      return side == .holds ? .never : .all(term.demands)
    }
    let isThere: SQLFragment =
      side == .holds ? "\(term.presence) IS NULL" : "\(term.presence) IS NOT NULL"
    return .all(term.demands + [isThere])
  }

  /// Compares two values of the row.
  private func compared(
    _ comparison: QueryExpression.Comparison,
    terms first: QueryExpression,
    _ second: QueryExpression,
    _ side: Side
  ) throws -> SQLFragment? {
    guard let left = try term(first), let right = try term(second),
      left.content.comparesInSQL(comparison, with: right.content)
    else { return nil }
    let kinds = [try exactness(of: left), try exactness(of: right)]
    guard !kinds.contains(.withCare) else { return nil }
    let collation = kinds.contains(.byCollation) ? dialect.swiftCollation : ""
    let (a, b) = (left.value, right.value)
    func translated(_ word: String) -> SQLFragment {
      .all(left.demands + right.demands + ["\(a)\(collation) \(word) \(b)"])
    }
    let canBeNull = left.canBeNull || right.canBeNull
    switch (comparison, side) {
    // A plain equals sign if it means the same: an index can evaluate it.
    case (.equal, .holds):
      return translated(left.canBeNull && right.canBeNull ? dialect.isSame : "=")
    case (.equal, .fails): return translated(dialect.isDistinct)
    case (_, .holds): return translated(comparison.sqlOperator)
    case (_, .fails) where !canBeNull: return translated(comparison.opposite.sqlOperator)
    case (_, .fails):
      return .all(
        left.demands + right.demands
          + ["(\(a)\(collation) \(comparison.sqlOperator) \(b)) IS NOT TRUE"]
      )
    }
  }

  /// Tests whether a value is in a range, closed or half-open; nil is in no range.
  package func ranged(
    _ value: QueryExpression,
    _ lower: QueryExpression,
    _ upper: QueryExpression,
    closed: Bool,
    _ side: Side
  ) throws -> SQLFragment? {
    guard case .constant(let first) = lower, case .constant(let last) = upper else { return nil }
    // With its bounds reversed, Swift traps: the row is no match, whatever surrounds the range.
    guard QueryExpression.Comparison.lessOrEqual.holds(first, last) else { return .never }
    guard let term = try term(value),
      case .ordered(let low) = dialect.operand(first, for: term.content),
      case .ordered(let high) = dialect.operand(last, for: term.content)
    else { return nil }
    let above = try test(.greaterOrEqual, low, of: term)
    let below = try test(closed ? .lessOrEqual : .less, high, of: term)
    return translated(term, side) { .all([above($0), below($0)]) }
  }

  /// Returns the test of a term, which no absent value passes.
  ///
  /// For a column behind references, the test first selects rows of the other table, whose indexes
  /// apply. The rows that reference them follow.
  package func translated(
    _ term: SQLTerm,
    _ side: Side,
    _ test: (SQLFragment) -> SQLFragment
  ) -> SQLFragment {
    guard side == .holds else {
      return .all(term.demands + ["(\(test(term.value))) IS NOT TRUE"])
    }
    if term.demands.isEmpty, term.guards.isEmpty, term.path.isEmpty { return test(term.text) }
    guard let source = term.sources.first, !term.path.isEmpty else {
      return .all(term.demands + term.guards + [test(term.text)])
    }
    var fragment = test(SQLFragment(source.column.sql))
    for hop in term.path.reversed() {
      fragment =
        "\(hop.column) IN (SELECT \(hop.table.key) FROM \(hop.table.sql) WHERE \(fragment))"
    }
    return .all(term.demands + term.guards + [fragment])
  }

  /// Returns how the term's values compare.
  package func exactness(of term: SQLTerm) throws -> Exactness {
    var found = Exactness.exact
    for source in term.sources where try state.isMarked(source) {
      guard case .value(let type) = source.column.content else { continue }
      found = type == .string || type == .url ? .byCollation : .withCare
    }
    return found
  }
}

extension ColumnMap.Content {
  /// Whether SQL compares values of the two columns as Swift does.
  fileprivate func comparesInSQL(
    _ comparison: QueryExpression.Comparison,
    with other: ColumnMap.Content
  ) -> Bool {
    let isEquality = comparison == .equal || comparison == .notEqual
    switch (self, other) {
    case (.reference, .reference), (.value(.decimal), .value(.decimal)): return isEquality
    case (.value(.codable), _), (_, .value(.codable)): return false
    case (.value(let first), .value(let second)):
      return first == second || (first.isSigned && second.isSigned)
    default: return false
    }
  }
}

extension AttributeType {
  /// Whether SQLite stores all values as integers.
  fileprivate var isSigned: Bool { isInteger && self != .uint64 }
}
