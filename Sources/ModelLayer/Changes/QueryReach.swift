import StoreProtocol

/// The entities whose rows a result depends on besides the fetched ones.
struct QueryReach {
  private let schema: StoreSchema
  /// The roots of the entities that relationships of the query refer to.
  private(set) var roots: Set<String> = []
  private var variables: [Int: StoreEntity] = [:]

  init(_ query: StoreQuery, schema: StoreSchema) {
    self.schema = schema
    variables[0] = schema.entity(named: query.entity)
    for expression in (query.filter.map { [$0] } ?? []) + query.sort.map(\.value) {
      _ = visit(expression)
    }
  }

  /// Notes the entities that an expression refers to, and returns the entity of its objects.
  private mutating func visit(_ expression: QueryExpression) -> StoreEntity? {
    switch expression {
    case .element(let variable): return variables[variable]
    case .property(let base, let name):
      return visit(base).flatMap { follow(name, from: $0) }
    case .map(let list, let variable, let body), .filter(let list, let variable, let body),
      .quantified(_, let list, let variable, let body):
      variables[variable] = visit(list)
      let result = visit(body)
      if case .map = expression { return result }
      return variables[variable]
    case .cast(let object, let name):
      _ = visit(object)
      return schema.entity(named: name)
    case .coalesce(let first, let second), .conditional(_, let first, let second):
      if case .conditional(let test, _, _) = expression { _ = visit(test) }
      let found = visit(first)
      return visit(second) ?? found
    case .unwrap(let object), .aggregate(_, let object): return visit(object)
    case .subscripted(let list, let position):
      _ = visit(position)
      return visit(list)
    default:
      for child in expression.children { _ = visit(child) }
      return nil
    }
  }

  /// Returns the entity at the other end of a relationship; its rows, or its elements' rows, count.
  private mutating func follow(_ name: String, from entity: StoreEntity) -> StoreEntity? {
    let family = schema.family(of: entity.name)
    guard let property = family.lazy.compactMap({ $0.property(named: name) }).first,
      let relationship = property.relationship,
      let other = schema.entity(named: relationship.destination)
    else { return nil }
    roots.insert(other.root)
    return other
  }
}
