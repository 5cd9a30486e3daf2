import Foundation

extension StoreQuery {
  /// The query for the same rows in the opposite order, also of rows with equal sort values.
  package var reversed: StoreQuery {
    var query = self
    query.sort =
      decidingTerms.map { QuerySort($0.value, isReversed: !$0.isReversed) }
      + [QuerySort(.element(0), isReversed: !hasReversedKeys)]
    return query
  }

  /// Returns the query for the rows that follow a position in the order.
  ///
  /// - Parameters:
  ///   - row: The row at the position, which need not exist any more.
  ///   - values: The values of its sort terms.
  /// - Returns: The query with one more condition.
  package func following(_ row: PersistentIdentifier, _ values: [StoreValue]) -> StoreQuery {
    var condition = QueryExpression.compare(
      hasReversedKeys ? .less : .greater,
      .element(0),
      .constant(.identifier(row))
    )
    for (term, value) in zip(decidingTerms, values).reversed() {
      condition = term.follows(value, orElse: condition)
    }
    var query = self
    query.filter = .and((filter?.conjuncts ?? []) + condition.conjuncts)
    return query
  }

  /// The terms that can decide: keys are unique, so that terms after the key have no effect.
  package var decidingTerms: [QuerySort] { Array(sort.prefix { $0.value != .element(0) }) }

  private var hasReversedKeys: Bool {
    sort.first { $0.value == .element(0) }?.isReversed ?? false
  }
}

extension QuerySort {
  /// Returns the condition that a row follows another in the order.
  ///
  /// The order is that of ``StoreValue/sortOrder(_:_:)``. The first conjunct is one for which a
  /// database can use an index.
  ///
  /// - Parameters:
  ///   - other: The value of the other row.
  ///   - next: The condition that decides if the values are equal.
  /// - Returns: The condition.
  fileprivate func follows(_ other: StoreValue, orElse next: QueryExpression) -> QueryExpression {
    func compared(_ comparison: QueryExpression.Comparison, _ other: StoreValue) -> QueryExpression
    {
      .compare(comparison, value, .constant(other))
    }
    let (isNil, isThere) = (compared(.equal, .null), compared(.notEqual, .null))
    if other.isNull { return isReversed ? .and([isNil, next]) : .or([isThere, next]) }
    if other.isNotANumber, let infinity = other.infinity {
      return isReversed
        ? .or([isNil, compared(.lessOrEqual, infinity), next])
        : .and([isThere, .not(compared(.lessOrEqual, infinity)), next])
    }
    if isReversed {
      return .and([
        .or([compared(.lessOrEqual, other), isNil]), .or([compared(.less, other), isNil, next]),
      ])
    }
    if other.infinity == nil {
      return .and([compared(.greaterOrEqual, other), .or([compared(.greater, other), next])])
    }
    // NaN, for which no comparison holds, follows all numbers.
    return .and([
      isThere, .not(compared(.less, other)), .or([.not(compared(.lessOrEqual, other)), next]),
    ])
  }
}

extension QueryExpression {
  fileprivate var conjuncts: [QueryExpression] {
    if case .and(let parts) = self { parts } else { [self] }
  }
}

extension StoreValue {
  /// The greatest value of the kind that is not NaN, or `nil` for kinds without NaN.
  fileprivate var infinity: StoreValue? {
    switch self {
    case .double: .double(.infinity)
    case .date: .date(Date(timeIntervalSinceReferenceDate: .infinity))
    default: nil
    }
  }
}
