extension QueryExpression {
  /// The subexpressions of this expression.
  package var children: [QueryExpression] {
    switch self {
    case .constant, .element: []
    case .property(let base, _), .not(let base), .negate(let base, _), .unwrap(let base),
      .aggregate(_, let base), .function(_, let base), .matches(let base, _),
      .searches(let base, _), .isKind(let base, _),
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

  /// Returns the expression with other children.
  ///
  /// - Parameter parts: As many expressions as ``children``, in their order.
  /// - Returns: The new expression; this one if the number of parts is another.
  package func replacingChildren(_ parts: [QueryExpression]) -> QueryExpression {
    switch (self, parts.count) {
    case (.and, _): .and(parts)
    case (.or, _): .or(parts)
    case (_, 1): replacing(parts[0])
    case (_, 2): replacing(parts[0], parts[1])
    case (.conditional, 3): .conditional(parts[0], then: parts[1], else: parts[2])
    case (.isInRange(_, _, _, let closed), 3):
      .isInRange(parts[2], lower: parts[0], upper: parts[1], closed: closed)
    default: self
    }
  }

  private func replacing(_ part: QueryExpression) -> QueryExpression {
    switch self {
    case .property(_, let name): .property(part, name)
    case .not: .not(part)
    case .negate(_, let type): .negate(part, type)
    case .unwrap: .unwrap(part)
    case .aggregate(let aggregate, _): .aggregate(aggregate, part)
    case .function(let function, _): .function(function, part)
    case .matches(_, let pattern): .matches(part, pattern)
    case .searches(_, let search): .searches(part, search)
    case .isKind(_, let entity): .isKind(part, entity: entity)
    case .cast(_, let entity): .cast(part, entity: entity)
    default: self
    }
  }

  private func replacing(_ first: QueryExpression, _ second: QueryExpression) -> QueryExpression {
    switch self {
    case .compare(let comparison, _, _): .compare(comparison, first, second)
    case .arithmetic(let operation, _, _, let type): .arithmetic(operation, first, second, type)
    case .coalesce: .coalesce(first, second)
    case .contains: .contains(first, second)
    case .subscripted: .subscripted(first, second)
    case .text(let test, _, _): .text(test, first, second)
    case .map(_, let variable, _): .map(first, variable: variable, body: second)
    case .quantified(let quantifier, _, let variable, _):
      .quantified(quantifier, first, variable: variable, second)
    case .filter(_, let variable, _): .filter(first, variable: variable, second)
    default: self
    }
  }

  /// The number of properties in the expression, each as often as it occurs.
  package var propertyCount: Int {
    var count = 0
    if case .property = self { count = 1 }
    return children.reduce(count) { $0 + $1.propertyCount }
  }

  /// Returns the number of variables that an evaluation needs.
  ///
  /// - Throws: `DataStoreError.invalidPredicate` if a variable is used outside the expression that
  ///   binds it.
  package func variableCount(bound: Set<Int> = [0]) throws -> Int {
    switch self {
    case .element(let variable):
      guard bound.contains(variable) else {
        throw DataStoreError(.invalidPredicate, "the query uses an unbound variable")
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
