import StoreProtocol

extension QueryExpression {
  /// The same expression with other children, in the order of ``children``.
  package func replacing(children: [QueryExpression]) -> QueryExpression {
    guard let first = children.first else { return self }
    let last = children[children.count - 1]
    switch self {
    case .constant, .element: return self
    case .property(_, let name): return .property(first, name)
    case .not: return .not(first)
    case .negate(_, let type): return .negate(first, type)
    case .unwrap: return .unwrap(first)
    case .aggregate(let aggregate, _): return .aggregate(aggregate, first)
    case .matches(_, let pattern): return .matches(first, pattern)
    case .searches(_, let search): return .searches(first, search)
    case .isKind(_, let entity): return .isKind(first, entity: entity)
    case .cast(_, let entity): return .cast(first, entity: entity)
    case .and: return .and(children)
    case .or: return .or(children)
    default: return replacing(first, children[children.count / 2], last)
    }
  }

  private func replacing(
    _ first: QueryExpression,
    _ middle: QueryExpression,
    _ last: QueryExpression
  ) -> QueryExpression {
    switch self {
    case .compare(let comparison, _, _): .compare(comparison, first, last)
    case .arithmetic(let operation, _, _, let type): .arithmetic(operation, first, last, type)
    case .coalesce: .coalesce(first, last)
    case .contains: .contains(first, last)
    case .subscripted: .subscripted(first, last)
    case .text(let test, _, _): .text(test, first, last)
    case .map(_, let variable, _): .map(first, variable: variable, body: last)
    case .quantified(let quantifier, _, let variable, _):
      .quantified(quantifier, first, variable: variable, last)
    case .filter(_, let variable, _): .filter(first, variable: variable, last)
    case .conditional: .conditional(first, then: middle, else: last)
    case .isInRange(_, _, _, let closed):
      .isInRange(last, lower: first, upper: middle, closed: closed)
    default: self
    }
  }
}
