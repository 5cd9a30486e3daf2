import StoreProtocol

/// Says an order in SQL, meaning what Swift means.
///
/// Null stands before everything and so behind it when reversed, as Swift's descriptors have it.
package struct SortTranslator {
  package let conditions: ConditionTranslator
  package let map: EntityMap
  private var dialect: any SQLDialect { conditions.dialect }

  /// The terms with the tie-breaking key, or nil when one of them is the evaluator's.
  package func order(_ terms: [QuerySort]) throws -> SQLFragment? {
    let key = SQLFragment(map.table.key)
    if terms.isEmpty { return key }
    var list: [SQLFragment] = []
    for term in terms {
      // Keys are unique: nothing is left to order behind them.
      if term.value == .element(0) {
        return .list(list + [term.isReversed ? "\(key) DESC" : key])
      }
      guard let value = try value(term.value), value.isWithinLimits else { return nil }
      list.append("\(value)\(term.isReversed ? dialect.descending : dialect.ascending)")
    }
    return .list(list + [key])
  }

  /// What orders as a value does.
  package func value(_ expression: QueryExpression) throws -> SQLFragment? {
    guard !expression.isDeeper(than: QueryExpression.maximumDepth) else {
      return nil
    }
    guard var term = try conditions.term(expression) else {
      return try conditions.sortKey(expression)
    }
    // Where Swift would trap the value is nil.
    term.guards += term.demands
    let exactness = try conditions.exactness(of: term)
    return try dialect.order(term.value, term.content, exactness) ?? conditions.sortKey(expression)
  }

  package init(
    conditions: ConditionTranslator,
    map: EntityMap
  ) {
    self.conditions = conditions
    self.map = map
  }
}
