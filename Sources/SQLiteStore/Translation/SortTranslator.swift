import StoreProtocol

/// Says an order in SQL, meaning what Swift means.
///
/// SQLite puts null before everything and so behind it when reversed, as Swift's descriptors do.
struct SortTranslator {
  let conditions: ConditionTranslator
  let map: EntityMap

  /// The terms with the tie-breaking key, or nil when one of them is the evaluator's.
  func order(_ terms: [QuerySort]) throws -> SQLFragment? {
    let key = SQLFragment(map.table.key)
    if terms.isEmpty { return key }
    var list: [SQLFragment] = []
    for term in terms {
      // Keys are unique: nothing is left to order behind them.
      if term.value == .element(0) {
        return .list(list + [term.isReversed ? "\(key) DESC" : key])
      }
      guard let value = try value(term.value), value.isWithinLimits else { return nil }
      list.append(term.isReversed ? "\(value) DESC" : value)
    }
    return .list(list + [key])
  }

  /// What orders as a value does.
  func value(_ expression: QueryExpression) throws -> SQLFragment? {
    guard !expression.isDeeper(than: QueryExpression.maximumDepth) else {
      return nil
    }
    guard var term = try conditions.term(expression), term.content.isOrderedInSQL else {
      return try conditions.sortKey(expression)
    }
    // Where Swift would trap the value is nil.
    term.guards += term.demands
    switch try conditions.exactness(of: term) {
    case .exact: return term.value
    case .byCollation: return "\(term.value) COLLATE \(SwiftText.collation)"
    case .withCare: return Self.careful(term.value)
    }
  }

  /// Numbers among which there are blobs: -0.0 is 0.0, and all that are NaN stand behind, alike.
  private static func careful(_ value: SQLFragment) -> SQLFragment {
    let zero = SQLValue(exactly: -0.0)
    let mended: SQLFragment = "CASE WHEN \(value) = \(bind: zero) THEN 0.0 ELSE x'FF' END"
    return "CASE typeof(\(value)) WHEN 'blob' THEN \(mended) ELSE \(value) END"
  }
}

extension ColumnMap.Content {
  /// Whether the stored forms order as the values do.
  fileprivate var isOrderedInSQL: Bool {
    switch self {
    case .value(.decimal), .value(.codable), .order: false
    case .value, .reference: true
    }
  }
}
