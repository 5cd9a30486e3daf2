import StoreProtocol

/// Values that SQL can express exactly: columns, keys, counts, and choices among them.
extension ConditionTranslator {
  package func term(_ expression: QueryExpression) throws -> SQLTerm? {
    guard state.takeStep() else { return nil }
    return switch expression {
    case .element(let variable): try bound(variable)
    case .property(let base, let name):
      try object(base).flatMap { try column(name, of: $0) }
    case .unwrap(let value): try term(value).map(Self.unwrapped)
    case .coalesce(let first, let second): try coalesced(first, second)
    case .conditional(let test, let first, let second): try chosen(test, first, second)
    case .map(let operand, let variable, let body): try mapped(operand, variable, body)
    case .aggregate(.count, let collection): try count(of: collection)
    default: try object(expression)?.term
    }
  }

  private func bound(_ variable: Int) throws -> SQLTerm? {
    switch scope[variable] {
    case .object(let object): object.term
    case .expression(let expression, let outer): try outer.term(expression)
    case .local, nil: nil
    }
  }

  /// Returns a column of an object, which is null if there is no object.
  ///
  /// Each table of the path has an alias of its own, so that a reference can refer to its own
  /// table.
  package func column(_ name: String, of object: ObjectTerm) throws -> SQLTerm? {
    let map = object.map
    guard let index = map.entity.indexByName[name] else { return nil }
    let property = map.entity.properties[index]
    guard !property.isToMany, let column = map.column(of: name) else { return nil }
    var term = SQLTerm(
      text: SQLFragment((object.alias ?? "") + "." + column.sql),
      content: column.content,
      sources: [SQLTerm.Source(column: column, table: map.table)],
      isNullable: property.canBeNull || object.isNullable,
      guards: object.guards,
      demands: object.demands
    )
    if object.alias == nil {
      term.text = lookedUp(column.sql, in: map.table, key: object.key)
      term.path = object.path ?? []
    }
    if let value = dialect.value(of: column, term.text, in: map, name) {
      (term.text, term.standIn, term.path) = (value, term.text, [])
    }
    return term
  }

  /// Returns a column of the row with a key.
  func lookedUp(_ column: String, in table: TableMap, key: SQLFragment) -> SQLFragment {
    let alias = state.alias()
    let rows = "\(table.sql) AS \(alias) WHERE \(alias).\(table.key)"
    return "(SELECT \(alias).\(column) FROM \(rows) = \(key))"
  }

  private static func unwrapped(_ term: SQLTerm) -> SQLTerm {
    guard term.canBeNull else { return term }
    var term = term
    term.demands += term.guards + ["\(term.standIn ?? term.text) IS NOT NULL"]
    term.guards = []
    term.isNullable = false
    return term
  }

  /// Returns a value with a replacement for nil.
  private func coalesced(
    _ first: QueryExpression,
    _ second: QueryExpression
  ) throws -> SQLTerm? {
    guard var term = try term(first) else { return nil }
    guard let other = try choice(second, like: term.content) else { return nil }
    // Swift evaluates the second value only if the first is nil.
    let isThere: SQLFragment = "\(term.presence) IS NOT NULL"
    term.demands += other.demands.map { .any([isThere, $0]) }
    term.text = "coalesce(\(term.value), \(other.value))"
    term.guards = []
    term.isNullable = other.canBeNull
    term.sources += other.sources
    term.standIn = nil
    term.path = []
    return term
  }

  /// Returns one of two values, chosen by a condition that cannot trap.
  private func chosen(
    _ test: QueryExpression,
    _ first: QueryExpression,
    _ second: QueryExpression
  ) throws -> SQLTerm? {
    guard !conditionMayTrap(test), let holds = try condition(test) else { return nil }
    let (one, other) = (try term(first), try term(second))
    guard let content = (one ?? other)?.content,
      let left = one ?? constantTerm(first, like: content),
      let right = other ?? constantTerm(second, like: content),
      left.content.isSame(as: right.content), left.demands.isEmpty, right.demands.isEmpty
    else { return nil }
    return SQLTerm(
      text: "CASE WHEN \(holds) THEN \(left.value) ELSE \(right.value) END",
      content: content,
      sources: left.sources + right.sources,
      isNullable: left.canBeNull || right.canBeNull
    )
  }

  /// Returns a value of the same type as another; it may be a constant.
  private func choice(
    _ expression: QueryExpression,
    like content: ColumnMap.Content
  ) throws -> SQLTerm? {
    if let constant = constantTerm(expression, like: content) { return constant }
    guard let term = try term(expression), term.content.isSame(as: content) else { return nil }
    return term
  }

  private func constantTerm(
    _ expression: QueryExpression,
    like content: ColumnMap.Content
  ) -> SQLTerm? {
    guard case .constant(let value) = expression else { return nil }
    if value.isNull { return SQLTerm(text: SQLFragment(dialect.null(content)), content: content) }
    guard value.isExactInSQL, let constant = dialect.operand(value, for: content)?.value else {
      return nil
    }
    return SQLTerm(text: "\(bind: constant)", content: content, isNullable: false)
  }

  /// Returns a value computed from another, or nil if the other is nil.
  private func mapped(
    _ operand: QueryExpression,
    _ variable: Int,
    _ body: QueryExpression
  ) throws -> SQLTerm? {
    guard let outer = try term(operand),
      var inner = try binding(variable, to: .expression(operand, self)).term(body)
    else { return nil }
    let isNil: SQLFragment = outer.canBeNull ? "\(outer.presence) IS NULL" : .never
    inner.demands = outer.demands + inner.demands.map { .any([isNil, $0]) }
    let presence: SQLFragment = "\(outer.standIn ?? outer.text) IS NOT NULL"
    inner.guards += outer.guards + (outer.isNullable ? [presence] : [])
    return inner
  }
}

extension ColumnMap.Content {
  /// Whether values of both kinds are of one type; references always are, whatever they refer to.
  package func isSame(as other: ColumnMap.Content) -> Bool {
    if case .reference = self, case .reference = other { return true }
    return self == other
  }
}

extension StoreValue {
  /// Whether the value can be combined with values of an unmarked column.
  fileprivate var isExactInSQL: Bool {
    switch self {
    case .string(let text): ExactText.isComposed(text)
    case .double(let number): !(number == 0 && number.sign == .minus)
    case .date(let date): StoreValue.double(date.timeIntervalSinceReferenceDate).isExactInSQL
    default: true
    }
  }
}
