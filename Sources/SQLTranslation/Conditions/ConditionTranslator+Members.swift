import StoreProtocol

/// To-many relationships: their related objects, the number of them, and their order.
extension ConditionTranslator {
  /// Returns the related objects of an expression that must be a list, or `nil` if it is no
  /// relationship or SQL cannot express it.
  package func members(_ expression: QueryExpression) throws -> MembersTerm? {
    try list(expression)?.demanded
  }

  /// Returns the related objects of an expression, with guards if the expression may be nil.
  package func list(_ expression: QueryExpression) throws -> MembersTerm? {
    switch expression {
    case .element(let variable):
      guard case .expression(let expression, let outer) = scope[variable] else { return nil }
      return try outer.list(expression)
    case .property(let base, let name):
      guard let owner = try object(base) else { return nil }
      return try members(of: name, owner)
    case .unwrap(let list): return try members(list)
    case .filter(let list, let variable, let test):
      return try filtered(list, variable, test)
    default: return nil
    }
  }

  private func members(of name: String, _ owner: ObjectTerm) throws -> MembersTerm? {
    guard let property = owner.map.entity.property(named: name), property.isToMany,
      let relationship = property.relationship
    else { return nil }
    let map = try catalog.entity(named: relationship.destination)
    // A to-many relationship is nil if its object is.
    let isThere = owner.term.isThere
    var bare = owner
    bare.guards = isThere == .always ? [] : [isThere]
    if let join = owner.map.join(of: name) { return listed(join, map, bare) }
    guard let inverse = relationship.inverse, let column = map.column(of: inverse),
      let order = try orderList(name, of: bare)
    else { return nil }
    return derived(column, map, bare, order)
  }

  /// Returns the related objects that a join table lists.
  private func listed(
    _ join: JoinMap,
    _ map: EntityMap,
    _ owner: ObjectTerm
  ) -> MembersTerm {
    let (list, row) = (state.alias(), state.alias())
    let table = map.table
    return MembersTerm(
      source: "\(join.sql) AS \(list)",
      rows: "\(join.sql) AS \(list) JOIN \(table.sql) AS \(row)"
        + " ON \(row).\(table.key) = \(list).member",
      conditions: ["\(list).owner = \(owner.key)"],
      key: "\(list).member",
      element: ObjectTerm(row: map, alias: row),
      position: "\(list).position",
      isListed: true,
      owner: "\(list).owner",
      ownerKey: owner.key,
      guards: owner.guards,
      demands: owner.demands
    )
  }

  /// Returns the related objects that reference their owner: those in its list first, others by
  /// key.
  private func derived(
    _ column: ColumnMap,
    _ map: EntityMap,
    _ owner: ObjectTerm,
    _ order: SQLFragment
  ) -> MembersTerm {
    let row = state.alias()
    let key = "\(row).\(map.table.key)"
    let table = "\(map.table.sql) AS \(row)"
    return MembersTerm(
      source: table,
      rows: table,
      conditions: ["\(row).\(column.sql) = \(owner.key)"],
      key: key,
      element: ObjectTerm(row: map, alias: row),
      position: dialect.memberPosition(order, SQLFragment(key)),
      isListed: false,
      owner: "\(row).\(column.sql)",
      ownerKey: owner.key,
      guards: owner.guards,
      demands: owner.demands
    )
  }

  /// Returns the list in which an object keeps the order of its related objects.
  private func orderList(_ name: String, of owner: ObjectTerm) throws -> SQLFragment? {
    guard let column = owner.map.column(of: name) else { return nil }
    if let alias = owner.alias { return "\(alias).\(column.sql)" }
    return lookedUp(column.sql, in: owner.map.table, key: owner.key)
  }

  /// Returns the related objects that satisfy a condition; Swift's filter evaluates all of them.
  private func filtered(
    _ list: QueryExpression,
    _ variable: Int,
    _ test: QueryExpression
  ) throws -> MembersTerm? {
    guard var members = try members(list) else { return nil }
    let inner = binding(variable, to: .object(members.element))
    guard let holds = try inner.condition(test, .holds) else { return nil }
    if inner.conditionMayTrap(test) {
      guard let fails = try inner.condition(test, .fails) else { return nil }
      let traps: SQLFragment = .all(
        members.conditions + ["(\(holds)) IS NOT TRUE", "(\(fails)) IS NOT TRUE"]
      )
      members.demands.append("NOT EXISTS (SELECT 1 FROM \(members.rows) WHERE \(traps))")
    }
    members.source = members.rows
    members.conditions.append(holds)
    return members
  }

  /// Returns the number of related objects.
  package func count(of collection: QueryExpression) throws -> SQLTerm? {
    guard let members = try members(collection) else { return nil }
    return SQLTerm(
      text: "(SELECT count(*) FROM \(members.source) WHERE \(members.condition))",
      content: .value(.int64),
      isNullable: false,
      demands: members.demands
    )
  }

  /// Returns the test that there are no related objects.
  package func isEmpty(_ collection: QueryExpression, _ side: Side) throws -> SQLFragment? {
    guard let members = try members(collection) else {
      return try isEmptyString(collection, side)
    }
    let word = side == .holds ? "NOT EXISTS" : "EXISTS"
    return .all(
      members.demands + ["\(word) (SELECT 1 FROM \(members.source) WHERE \(members.condition))"]
    )
  }

  /// Returns the test that a string is empty.
  private func isEmptyString(_ text: QueryExpression, _ side: Side) throws -> SQLFragment? {
    guard let term = try term(text),
      term.content == .value(.string) || term.content == .value(.url)
    else { return nil }
    let word = side == .holds ? "=" : "<>"
    return .all(term.demands + term.guards + ["\(term.text) \(word) ''"])
  }

  /// Returns the first or last related object.
  package func member(of collection: QueryExpression, isLast: Bool) throws -> ObjectTerm? {
    guard let members = try members(collection) else { return nil }
    return try member(of: members, isLast: isLast, position: nil)
  }

  /// Returns the related object at a position, which must exist.
  package func member(of collection: QueryExpression, at position: Int64) throws -> ObjectTerm? {
    guard let members = try members(collection) else { return nil }
    var object = try member(of: members, isLast: false, position: max(position, 0))
    object.demands.append(position < 0 ? .never : "\(object.key) IS NOT NULL")
    object.isNullable = false
    return object
  }

  private func member(
    of members: MembersTerm,
    isLast: Bool,
    position: Int64?
  ) throws -> ObjectTerm {
    let offset: SQLFragment = position.map { " OFFSET \(bind: .integer($0))" } ?? ""
    var term = members.element.term
    let keys = members.query(
      for: SQLFragment(members.key),
      in: members.source,
      where: members.condition,
      isReversed: isLast,
      dialect
    )
    term.text = "(\(keys) LIMIT 1\(offset))"
    term.isNullable = true
    term.demands = members.demands
    return ObjectTerm(members.element.map, key: term)
  }

  /// Returns the keys of all related objects in order, as JSON.
  package func keyList(_ members: MembersTerm) -> SQLFragment {
    let keys = members.query(
      for: SQLFragment(members.key),
      in: members.source,
      where: members.condition,
      dialect
    )
    // The limit keeps SQLite from omitting the order of an inner query.
    return "(SELECT json_group_array(v) FROM (\(keys) LIMIT -1))"
  }
}
