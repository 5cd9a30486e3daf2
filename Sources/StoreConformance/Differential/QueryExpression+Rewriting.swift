import StoreProtocol

extension QueryExpression {
  /// Returns the expression with other children, in the order of ``children``.
  func replacingChildren(_ parts: [QueryExpression]) -> QueryExpression {
    switch self {
    case .constant, .element: self
    case .and: .and(parts)
    case .or: .or(parts)
    default: parts.count == 1 ? of(parts[0]) : parts.count == 2 ? of(parts[0], parts[1]) : of(parts)
    }
  }

  private func of(_ part: QueryExpression) -> QueryExpression {
    switch self {
    case .property(_, let name): .property(part, name)
    case .not: .not(part)
    case .negate(_, let type): .negate(part, type)
    case .unwrap: .unwrap(part)
    case .aggregate(let aggregate, _): .aggregate(aggregate, part)
    case .matches(_, let pattern): .matches(part, pattern)
    case .searches(_, let search): .searches(part, search)
    case .isKind(_, let entity): .isKind(part, entity: entity)
    case .cast(_, let entity): .cast(part, entity: entity)
    default: self
    }
  }

  private func of(_ first: QueryExpression, _ second: QueryExpression) -> QueryExpression {
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

  private func of(_ parts: [QueryExpression]) -> QueryExpression {
    switch self {
    case .conditional: .conditional(parts[0], then: parts[1], else: parts[2])
    case .isInRange(_, _, _, let closed):
      .isInRange(parts[2], lower: parts[0], upper: parts[1], closed: closed)
    default: self
    }
  }

  /// The variable that this expression binds for its second child.
  var boundVariable: Int? {
    switch self {
    case .map(_, let variable, _), .quantified(_, _, let variable, _), .filter(_, let variable, _):
      variable
    default: nil
    }
  }

  /// The variables that are used here and bound outside.
  var freeVariables: Set<Int> {
    if case .element(let variable) = self { return [variable] }
    let parts = children
    guard let bound = boundVariable else {
      return parts.reduce(into: []) { $0.formUnion($1.freeVariables) }
    }
    return parts[0].freeVariables.union(parts[1].freeVariables.subtracting([bound]))
  }

  /// The expression and all of its descendants.
  var nodes: [QueryExpression] { [self] + children.flatMap(\.nodes) }

  /// Returns the expression with other identifiers in its constants.
  func replacingIdentifiers(
    _ replacement: (PersistentIdentifier) -> PersistentIdentifier
  ) -> QueryExpression {
    if case .constant(let value) = self {
      return .constant(value.replacingIdentifiers(replacement))
    }
    return replacingChildren(children.map { $0.replacingIdentifiers(replacement) })
  }
}

extension StoreQuery {
  /// Returns the query with other identifiers in its constants.
  func replacingIdentifiers(
    _ replacement: (PersistentIdentifier) -> PersistentIdentifier
  ) -> StoreQuery {
    var query = self
    query.filter = filter?.replacingIdentifiers(replacement)
    query.sort = sort.map {
      QuerySort($0.value.replacingIdentifiers(replacement), isReversed: $0.isReversed)
    }
    return query
  }
}
