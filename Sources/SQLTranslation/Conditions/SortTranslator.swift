import StoreProtocol

/// Translates an order to SQL with the meaning that it has in Swift.
///
/// Null precedes all values, and follows them in a reversed order, as with Swift's descriptors.
package struct SortTranslator {
  package let conditions: ConditionTranslator
  package let map: EntityMap
  private var dialect: any SQLDialect { conditions.dialect }

  /// Returns the terms with the tie-breaking key, or `nil` if the evaluator has to order by one.
  package func order(_ terms: [QuerySort]) throws -> SQLFragment? {
    let key = SQLFragment(map.table.key)
    if terms.isEmpty { return key }
    var list: [SQLFragment] = []
    for term in terms {
      // Keys are unique: later terms have no effect.
      if term.value == .element(0) {
        return .list(list + [term.isReversed ? "\(key) DESC" : key])
      }
      guard let value = try value(term.value), value.isWithinLimits else { return nil }
      list.append("\(value)\(term.isReversed ? dialect.descending : dialect.ascending)")
    }
    return .list(list + [key])
  }

  /// Returns an expression that orders as a value does, or `nil` if there is none.
  package func value(_ expression: QueryExpression) throws -> SQLFragment? {
    guard !expression.isDeeper(than: QueryExpression.maximumDepth) else {
      return nil
    }
    guard var term = try conditions.term(expression) else {
      return try conditions.sortKey(expression)
    }
    // The value is nil if Swift would trap.
    term.guards += term.demands
    let exactness = try conditions.exactness(of: term)
    return try dialect.order(term.value, term.content, exactness) ?? conditions.sortKey(expression)
  }

  package init(conditions: ConditionTranslator, map: EntityMap) {
    self.conditions = conditions
    self.map = map
  }
}
