extension QueryExpression {
  /// The subexpressions of this expression.
  public var children: [QueryExpression] {
    switch self {
    case .constant, .element: []
    case .property(let base, _), .not(let base), .negate(let base, _), .unwrap(let base),
      .aggregate(_, let base), .matches(let base, _), .searches(let base, _), .isKind(let base, _),
      .cast(let base, _):
      [base]
    case .compare(_, let left, let right), .arithmetic(_, let left, let right, _),
      .coalesce(let left, let right), .contains(let left, let right),
      .subscripted(let left, let right), .text(_, let left, let right),
      .map(let left, _, let right), .quantified(_, let left, _, let right),
      .filter(let left, _, let right):
      [left, right]
    case .and(let parts), .or(let parts): parts
    case .conditional(let test, let first, let second): [test, first, second]
    case .isInRange(let operand, let lower, let upper, _): [lower, upper, operand]
    }
  }

  /// Returns the number of variables that an evaluation needs.
  ///
  /// - Throws: `DataStoreError.invalidPredicate` if a variable is used outside the expression that
  ///   binds it.
  func variableCount(bound: Set<Int> = [0]) throws -> Int {
    switch self {
    case .element(let variable):
      guard bound.contains(variable) else {
        throw DataStoreError(.invalidPredicate, "the query uses a variable that nothing binds")
      }
      return 1
    case .map(let operand, let variable, let body), .filter(let operand, let variable, let body),
      .quantified(_, let operand, let variable, let body):
      guard variable > 0, variable < 1_000 else {
        throw DataStoreError(.invalidPredicate, "the query's variables are numbered from 1 to 999")
      }
      let inner = try body.variableCount(bound: bound.union([variable]))
      return max(try operand.variableCount(bound: bound), inner, variable + 1)
    default:
      return try children.reduce(1) { max($0, try $1.variableCount(bound: bound)) }
    }
  }
}
