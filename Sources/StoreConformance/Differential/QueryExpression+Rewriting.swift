import StoreProtocol

extension QueryExpression {
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
