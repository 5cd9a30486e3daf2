import StoreProtocol

/// Objects: rows in scope, the targets of references, and objects cast to a subclass.
extension ConditionTranslator {
  package func object(_ expression: QueryExpression) throws -> ObjectTerm? {
    switch expression {
    case .element(let variable):
      switch scope[variable] {
      case .object(let object): return object
      case .expression(let expression, let outer): return try outer.object(expression)
      case .local, nil: return nil
      }
    case .property(let base, let name): return try reference(name, of: base)
    case .cast(let object, let entity): return try cast(object, entity)
    case .aggregate(.first, let list): return try member(of: list, isLast: false)
    case .aggregate(.last, let list): return try member(of: list, isLast: true)
    case .subscripted(let list, .constant(.integer(let position))):
      return try member(of: list, at: position)
    case .unwrap, .coalesce, .conditional, .map: return try chosenObject(expression)
    default: return nil
    }
  }

  private func reference(_ name: String, of base: QueryExpression) throws -> ObjectTerm? {
    guard let owner = try object(base),
      owner.map.entity.property(named: name)?.isToOne == true,
      let term = try column(name, of: owner),
      case .reference(_, let entity) = term.content,
      let column = owner.map.column(of: name)
    else { return nil }
    let map = try catalog.entity(named: entity)
    var object = ObjectTerm(map, key: term)
    object.path = owner.path.map { path in
      let prefix = path.isEmpty ? owner.alias.map { "\($0)." } ?? "" : ""
      return path + [SQLTerm.Hop(column: prefix + column.sql, table: map.table)]
    }
    return object
  }

  /// Casts an object to an entity; the result is nil if the object is of another entity.
  private func cast(_ expression: QueryExpression, _ entity: String) throws -> ObjectTerm? {
    guard let object = try object(expression),
      let map = try? catalog.entity(named: entity)
    else { return nil }
    var cast = ObjectTerm(map, key: object.term)
    cast.alias = map.table === object.map.table ? object.alias : nil
    cast.path = cast.alias == nil ? nil : []
    cast.guards.append(isKind(object, map))
    return cast
  }

  /// Returns the object that another expression results in, if SQL can express its key.
  private func chosenObject(_ expression: QueryExpression) throws -> ObjectTerm? {
    guard case .object(let entity?) = kind(of: expression) else { return nil }
    let map = try catalog.entity(named: entity)
    if case .unwrap(let inner) = expression {
      guard var object = try object(inner) else { return nil }
      if object.canBeNull {
        object.demands += object.guards + ["\(object.key) IS NOT NULL"]
        object.guards = []
        object.isNullable = false
      }
      return object
    }
    guard let key = try term(expression), case .reference = key.content else { return nil }
    return ObjectTerm(map, key: key)
  }

  /// Returns the test whether an object is of an entity or of one that inherits from it.
  package func isKind(
    _ object: QueryExpression,
    _ entity: String,
    _ side: Side
  ) throws -> SQLFragment? {
    guard let object = try self.object(object),
      let map = try? catalog.entity(named: entity)
    else { return nil }
    let isKind = SQLFragment.all(object.guards + [isKind(object, map)])
    switch side {
    case .holds: return .all(object.demands + [isKind])
    case .fails:
      let fails: SQLFragment =
        isKind == .always ? .never : isKind == .never ? .always : "(\(isKind)) IS NOT TRUE"
      return .all(object.demands + [fails])
    }
  }

  /// Returns the test whether a row, if there is one, is of an entity.
  private func isKind(_ object: ObjectTerm, _ map: EntityMap) -> SQLFragment {
    guard map.table === object.map.table else { return .never }
    let isThere: SQLFragment = object.isNullable ? "\(object.key) IS NOT NULL" : .always
    guard let column = map.table.entityColumn, let test = map.familyTest else { return isThere }
    if let alias = object.alias { return "\(alias).\(column) \(test)" }
    return "\(lookedUp(column, in: map.table, key: object.key)) \(test)"
  }
}
