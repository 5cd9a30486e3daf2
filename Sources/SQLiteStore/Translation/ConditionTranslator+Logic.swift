import StoreProtocol

/// And, or, truth values and kinds.
extension ConditionTranslator {
  func conjunction(_ terms: [QueryExpression], at position: Position) throws -> SQLFragment? {
    try all(terms, at: position).map { fragments in
      fragments.isEmpty ? .always : .joined(fragments, by: "AND")
    }
  }

  func disjunction(_ terms: [QueryExpression], at position: Position) throws -> SQLFragment? {
    try all(terms, at: position).map { fragments in
      fragments.isEmpty ? .never : .joined(fragments, by: "OR")
    }
  }

  private func all(_ terms: [QueryExpression], at position: Position) throws -> [SQLFragment]? {
    var fragments: [SQLFragment] = []
    for term in terms {
      guard let fragment = try condition(term, at: position.below) else { return nil }
      fragments.append(fragment)
    }
    return fragments
  }

  /// A truth value used as a condition.
  func truth(of expression: QueryExpression) -> SQLFragment? {
    // Of an absent value neither the condition nor its opposite holds; the evaluator knows that.
    guard case .property(.element(0), let name) = expression,
      map.entity.property(named: name)?.isOptional == false,
      let column = map.column(of: name), case .value(.bool) = column.content
    else { return nil }
    return SQLFragment("\(column.sql) IS 1")
  }

  /// Whether a relationship has no members, or a text no characters.
  func isEmpty(_ name: String) -> SQLFragment? {
    if let rows = members(of: name) { return SQLFragment("NOT EXISTS (SELECT 1 FROM \(rows))") }
    guard map.entity.property(named: name)?.isOptional == false,
      let column = map.column(of: name), case .value(.string) = column.content
    else { return nil }
    return SQLFragment("\(column.sql) IS ''")
  }

  /// Whether the row is of an entity or one that inherits from it.
  func kind(_ entity: String) -> SQLFragment? {
    guard let other = try? catalog.map.entity(named: entity) else { return nil }
    guard other.table === map.table else { return .never }
    return other.entityCondition.map { SQLFragment($0) } ?? .always
  }
}
