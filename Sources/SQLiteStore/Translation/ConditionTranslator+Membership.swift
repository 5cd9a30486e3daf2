import StoreProtocol

/// Membership of a value of the row in a list that is known.
extension ConditionTranslator {
  func contained(
    _ value: QueryExpression,
    in collection: QueryExpression,
    isGuarded: Bool
  ) throws -> SQLFragment? {
    guard case .constant(let list) = collection else { return nil }
    let elements: [StoreValue]
    switch list {
    case .array(let values): elements = values
    case .identifiers(let identifiers): elements = identifiers.map(StoreValue.identifier)
    default: return nil
    }
    if case .element(0) = value {
      return keys(elements).map { SQLFragment("\(map.table.key) \($0.text)", $0.values) }
    }
    guard let term = term(value), try isExact(term) else { return nil }
    return contained(term, in: elements, isGuarded: isGuarded)
  }

  private func contained(
    _ term: SQLTerm,
    in elements: [StoreValue],
    isGuarded: Bool
  ) -> SQLFragment? {
    let hasNull = elements.contains(where: \.isNull)
    let present = elements.filter { !$0.isNull }
    let found: SQLFragment?
    if case .reference = term.content {
      found = keys(present)
    } else {
      found = values(present, term.content)
    }
    guard let list = found else { return nil }
    let member = condition(on: term, isGuarded: isGuarded) { column, isGuarded in
      let text = "\(column) \(list.text)"
      guard isGuarded else { return SQLFragment(text, term.values + list.values) }
      return SQLFragment(
        "\(column) IS NOT NULL AND \(text)",
        term.values + term.values + list.values
      )
    }
    guard hasNull, let member else { return member }
    return .joined([SQLFragment("\(term.text) IS NULL", term.values), member], by: "OR")
  }

  /// A list of objects as one parameter, however long it is.
  private func keys(_ elements: [StoreValue]) -> SQLFragment? {
    var keys: [Int64] = []
    for element in elements {
      switch element {
      case .identifier(let identifier): identifier.integerKey.map { keys.append($0) }
      // No row is nil.
      case .null: continue
      default: return nil
      }
    }
    if keys.count == 1 { return SQLFragment("IN (?)", [.integer(keys[0])]) }
    return SQLFragment("IN (SELECT value FROM json_each(?))", [.text(KeyList.encoded(keys))])
  }

  private func values(
    _ elements: [StoreValue],
    _ content: ColumnMap.Content
  ) -> SQLFragment? {
    guard elements.count <= Self.maximumValues else { return nil }
    var values: [SQLValue] = []
    for element in elements {
      guard let operand = Operand(element, for: content) else { return nil }
      if let value = operand.sqlValue { values.append(value) }
    }
    let marks = Array(repeating: "?", count: values.count).joined(separator: ", ")
    return SQLFragment("IN (\(marks))", values)
  }
}
