import StoreProtocol

/// The kinds of expressions: values, objects, and lists of objects.
extension ConditionTranslator {
  /// The kind of an expression's result; the entity is `nil` if it is unknown.
  package enum Kind: Hashable {
    case value
    case object(String?)
    case objects(String?)

    /// The kind of an element of a list of this kind.
    package var element: Kind {
      if case .objects(let entity) = self { return .object(entity) }
      return .value
    }
  }

  package func kind(of expression: QueryExpression) -> Kind {
    switch expression {
    case .constant(.identifier(let identifier)): .object(identifier.entityName)
    case .constant(.identifiers(let list)): .objects(list.first?.entityName)
    case .element(let variable): kind(ofVariable: variable)
    case .property(let base, let name): kind(of: name, of: base)
    case .cast(_, let entity): .object(entity)
    case .unwrap(let value): kind(of: value)
    case .filter(let list, _, _): kind(of: list)
    case .coalesce(let first, let second), .conditional(_, let first, let second):
      kind(of: first, or: second)
    case .map(let operand, let variable, let body):
      binding(variable, to: .local(kind(of: operand))).kind(of: body)
    case .aggregate(.count, _), .aggregate(.isEmpty, _): .value
    case .aggregate(_, let list), .subscripted(let list, _): kind(of: list).element
    default: .value
    }
  }

  /// Returns the kind of one of two expressions; nil and empty lists do not determine it.
  private func kind(of first: QueryExpression, or second: QueryExpression) -> Kind {
    switch (kind(of: first), kind(of: second)) {
    case (.value, let other): other
    case (.object(nil), .object(let entity)): .object(entity)
    case (.objects(nil), .objects(let entity)): .objects(entity)
    case (let first, _): first
    }
  }

  private func kind(ofVariable variable: Int) -> Kind {
    switch scope[variable] {
    case .object(let object): .object(object.map.entity.name)
    case .expression(let expression, let outer): outer.kind(of: expression)
    case .local(let kind): kind
    case nil: .value
    }
  }

  private func kind(of name: String, of base: QueryExpression) -> Kind {
    guard let property = property(name, of: base), let relationship = property.relationship else {
      return .value
    }
    return property.isToMany
      ? .objects(relationship.destination) : .object(relationship.destination)
  }

  /// Returns the property of an object, or `nil` if the base is a plain value.
  package func property(_ name: String, of base: QueryExpression) -> StoreProperty? {
    guard case .object(let entity?) = kind(of: base) else { return nil }
    return catalog.schema.entity(named: entity)?.property(named: name)
  }
}
