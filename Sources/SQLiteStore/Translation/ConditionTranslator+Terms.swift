import StoreProtocol

/// Values of the fetched row: its columns, those of rows that to-one relationships lead to, a value
/// with another in the place of nil, and numbers of members.
extension ConditionTranslator {
  func term(_ expression: QueryExpression) -> SQLTerm? {
    switch expression {
    case .property(.element(0), let name): column(name)
    case .property(let base, let name): column(name, behind: base)
    case .coalesce(let value, .constant(let other)): coalesced(value, other)
    case .aggregate(.count, .property(.element(0), let name)): count(of: name)
    default: nil
    }
  }

  private func column(_ name: String) -> SQLTerm? {
    guard let column = map.column(of: name), column.isComparable else { return nil }
    return SQLTerm(
      column.sql,
      content: column.content,
      source: SQLTerm.Source(column: column, table: map.table)
    )
  }

  /// A column of the row at the other end of a relationship, null where there is no such row.
  ///
  /// The tables on the way have names of their own, so that a relationship may lead back to the
  /// table that it stands in.
  private func column(_ name: String, behind base: QueryExpression) -> SQLTerm? {
    guard let reference = term(base), let from = reference.source,
      case .reference(_, let entity) = reference.content,
      let other = try? catalog.map.entity(named: entity),
      let column = other.column(of: name), column.isComparable
    else { return nil }
    let alias = "r\(reference.path.count + 1)"
    let key = reference.path.isEmpty ? "\(from.table.sql).\(reference.text)" : reference.text
    return SQLTerm(
      "(SELECT \(alias).\(column.sql) FROM \(other.table.sql) AS \(alias)"
        + " WHERE \(alias).\(other.table.key) = \(key))",
      content: column.content,
      source: SQLTerm.Source(column: column, table: other.table),
      path: reference.path + [from]
    )
  }

  private func coalesced(_ value: QueryExpression, _ other: StoreValue) -> SQLTerm? {
    guard let term = term(value), !other.isNull,
      let operand = Operand(other, for: term.content)?.sqlValue
    else { return nil }
    return SQLTerm(
      "coalesce(\(term.text), ?)",
      term.values + [operand],
      content: term.content,
      source: term.source
    )
  }

  /// The number of members of a to-many relationship.
  func count(of property: String) -> SQLTerm? {
    guard let rows = members(of: property) else { return nil }
    return SQLTerm("(SELECT count(*) FROM \(rows))", content: .value(.int64), source: nil)
  }

  /// The rows that say who the members of a relationship of the fetched row are.
  func members(of property: String) -> String? {
    let owner = "\(map.table.sql).\(map.table.key)"
    if let join = map.join(of: property) { return "\(join.sql) WHERE owner = \(owner)" }
    guard let description = map.entity.property(named: property), description.isDerivedToMany,
      let relationship = description.relationship, let inverse = relationship.inverse,
      let other = try? catalog.map.entity(named: relationship.destination),
      let column = other.column(of: inverse)
    else { return nil }
    return "\(other.table.sql) AS m WHERE m.\(column.sql) = \(owner)"
  }

  /// Whether the term's values compare in SQL as in Swift.
  func isExact(_ term: SQLTerm) throws -> Bool {
    guard let source = term.source else { return true }
    return try isExact(source.column, in: source.table)
  }

  /// Says a condition on a term that no absent value satisfies.
  ///
  /// Behind relationships it is asked of the other table first, whose indexes can answer, and then
  /// which rows lead there.
  func condition(
    on term: SQLTerm,
    isGuarded: Bool,
    _ inner: (_ column: String, _ isGuarded: Bool) -> SQLFragment?
  ) -> SQLFragment? {
    guard let source = term.source, !term.path.isEmpty, term.values.isEmpty else {
      guard let fragment = inner(term.text, isGuarded) else { return nil }
      return SQLFragment(fragment.text, fragment.values)
    }
    guard var fragment = inner(source.column.sql, false) else { return nil }
    var table = source.table
    for hop in term.path.reversed() {
      fragment.text =
        "\(hop.column.sql) IN"
        + " (SELECT \(table.key) FROM \(table.sql) WHERE \(fragment.text))"
      table = hop.table
    }
    if isGuarded, let first = term.path.first {
      fragment.text = "\(first.column.sql) IS NOT NULL AND \(fragment.text)"
    }
    return fragment
  }
}

extension ColumnMap {
  /// Whether the column's values mean something to a condition.
  fileprivate var isComparable: Bool {
    if case .order = content { return false }
    return true
  }
}
