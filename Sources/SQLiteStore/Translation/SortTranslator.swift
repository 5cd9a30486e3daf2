import StoreProtocol

/// Says an order in SQL, where SQL orders as Swift does.
///
/// SQLite puts null before everything and so behind it when reversed, as Swift's descriptors do.
struct SortTranslator {
  let conditions: ConditionTranslator

  /// The terms with the tie-breaking key, or nil when one of them is the evaluator's.
  func order(_ terms: [QuerySort]) throws -> String? {
    var list: [String] = []
    for term in terms {
      guard let column = try column(term.value) else { return nil }
      list.append(term.isReversed ? "\(column) DESC" : column)
      // Keys are unique: nothing is left to order behind them.
      if column == conditions.map.table.key { return list.joined(separator: ", ") }
    }
    list.append(conditions.map.table.key)
    return list.joined(separator: ", ")
  }

  private func column(_ expression: QueryExpression) throws -> String? {
    if case .element(0) = expression { return conditions.map.table.key }
    guard let term = conditions.term(expression), term.values.isEmpty,
      term.content.isOrderedInSQL, try conditions.isExact(term)
    else { return nil }
    return term.text
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
