import StoreProtocol

extension QueryExpression {
  /// Whether the value for a row depends on other rows.
  func looksThroughObjects(in schema: StoreSchema, entity: String) -> Bool {
    if case .property(let base, let name) = self {
      guard base == .element(0) else { return true }
      return schema.family(of: entity).contains { $0.property(named: name)?.isToMany == true }
    }
    return children.contains { $0.looksThroughObjects(in: schema, entity: entity) }
  }
}

extension StoreQuery {
  /// Whether the answer depends on objects other than the fetched ones.
  func navigatesRelationships(in schema: StoreSchema) -> Bool {
    let expressions = (filter.map { [$0] } ?? []) + sort.map(\.value)
    return expressions.contains { $0.looksThroughObjects(in: schema, entity: entity) }
  }
}
