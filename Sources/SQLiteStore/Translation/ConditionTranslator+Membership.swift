import StoreProtocol

/// Membership of a column's value in a list that is known.
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
    guard let column = column(value) else { return nil }
    return try contained(column, in: elements, isGuarded: isGuarded)
  }

  private func contained(
    _ column: ColumnMap,
    in elements: [StoreValue],
    isGuarded: Bool
  ) throws -> SQLFragment? {
    if case .order = column.content { return nil }
    guard try isExact(column) else { return nil }
    let hasNull = elements.contains(where: \.isNull)
    let present = elements.filter { !$0.isNull }
    let list: SQLFragment
    if case .reference = column.content {
      guard let keys = keys(present) else { return nil }
      list = keys
    } else {
      guard let values = values(present, column) else { return nil }
      list = values
    }
    let guarding = isGuarded ? "\(column.sql) IS NOT NULL AND " : ""
    let member = SQLFragment("\(guarding)\(column.sql) \(list.text)", list.values)
    guard hasNull else { return member }
    return .joined([SQLFragment("\(column.sql) IS NULL"), member], by: "OR")
  }

  /// A list of objects as one parameter, however long it is.
  private func keys(_ elements: [StoreValue]) -> SQLFragment? {
    var keys: [Int64] = []
    for element in elements {
      switch element {
      case .identifier(let identifier): identifier.rowKey.map { keys.append($0) }
      // No row is nil.
      case .null: continue
      default: return nil
      }
    }
    if keys.count == 1 { return SQLFragment("IN (?)", [.integer(keys[0])]) }
    return SQLFragment("IN (SELECT value FROM json_each(?))", [.text(KeyList.encoded(keys))])
  }

  private func values(_ elements: [StoreValue], _ column: ColumnMap) -> SQLFragment? {
    guard elements.count <= Self.maximumValues else { return nil }
    var values: [SQLValue] = []
    for element in elements {
      guard let operand = Operand(element, for: column.content) else { return nil }
      if let value = operand.sqlValue { values.append(value) }
    }
    let marks = Array(repeating: "?", count: values.count).joined(separator: ", ")
    return SQLFragment("IN (\(marks))", values)
  }
}
