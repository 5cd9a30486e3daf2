import StoreProtocol

extension QueryExpression {
  /// The terms that must all hold.
  var conjuncts: [QueryExpression] {
    if case .and(let terms) = self { return terms.flatMap(\.conjuncts) }
    return [self]
  }

  /// The same condition without forced unwraps, nil where it has none.
  ///
  /// Only for a condition that every row must satisfy: there a forced unwrap of nil, which makes
  /// the row no match, says the same as the demand that the value is there.
  var withoutUnwraps: QueryExpression? {
    var demanded: [QueryExpression] = []
    let bare = bare(&demanded)
    guard !demanded.isEmpty else { return nil }
    return .and(demanded.map { .compare(.notEqual, $0, .constant(.null)) } + [bare])
  }

  private func bare(_ demanded: inout [QueryExpression]) -> QueryExpression {
    switch self {
    case .unwrap(let value):
      let bare = value.bare(&demanded)
      demanded.append(bare)
      return bare
    case .property(let base, let name): return .property(base.bare(&demanded), name)
    case .compare(let comparison, let first, let second):
      return .compare(comparison, first.bare(&demanded), second.bare(&demanded))
    case .contains(let list, let value): return .contains(list, value.bare(&demanded))
    case .isInRange(let value, let lower, let upper, let closed):
      return .isInRange(value.bare(&demanded), lower: lower, upper: upper, closed: closed)
    case .not(let condition): return .not(condition.bare(&demanded))
    default: return self
    }
  }
}
