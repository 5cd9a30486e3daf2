import StoreProtocol

extension QueryGenerator {
  /// Returns an object in scope with its type, which may be optional.
  mutating func object() -> Typed {
    let objects = scope.indices.filter { scope[$0].entity != nil }
    // Conditions are most often about the innermost variable.
    let variable = source.oneIn(3) ? source.pick(objects) : objects[objects.count - 1]
    var found: Typed = (.element(variable), scope[variable])
    for _ in 0..<2 where source.oneIn(3) { found = hop(from: found) ?? found }
    return source.oneIn(8) ? narrowed(found) : found
  }

  /// Returns an object of an entity in scope.
  mutating func object(of entity: String) -> QueryExpression? {
    for _ in 0..<6 {
      let found = object()
      if found.type.entity == entity { return adapted(found, to: .object(entity)) }
    }
    return nil
  }

  /// Returns a property of an object, or a variable with a plain value.
  mutating func probe(_ depth: Int) -> Typed {
    let plain = scope.indices.filter { scope[$0].entity == nil }
    if let variable = plain.last, source.oneIn(2) {
      return member(of: (.element(variable), scope[variable]))
    }
    let base = object()
    guard let properties = properties(of: base), !properties.isEmpty, !source.oneIn(20) else {
      return base
    }
    return member(of: property(source.pick(properties), of: base))
  }

  /// Returns a path that ends at a type.
  mutating func path(to goal: QueryType) -> QueryExpression? {
    let same = scope.indices.filter { goal.accepts(scope[$0]) }
    if !same.isEmpty, source.oneIn(2) { return .element(source.pick(same)) }
    for _ in 0..<5 {
      let base = object()
      let fitting = (properties(of: base) ?? []).filter {
        SampleTypes.type(of: $0).unwrapped == goal.unwrapped
      }
      if !fitting.isEmpty {
        return adapted(property(source.pick(fitting), of: base), to: goal)
      }
      if let inner = throughStructure(of: base, to: goal) { return inner }
    }
    return nil
  }

  /// Returns an expression for a wanted type, made from one that may be nil.
  mutating func adapted(_ found: Typed, to goal: QueryType) -> QueryExpression {
    if goal.accepts(found.type) { return found.expression }
    if source.oneIn(3) { return .unwrap(found.expression) }
    guard goal.entity == nil else {
      let same = scope.indices.filter { scope[$0] == goal }
      return same.isEmpty
        ? .unwrap(found.expression) : .coalesce(found.expression, .element(source.pick(same)))
    }
    return .coalesce(found.expression, constant(goal))
  }

  private func properties(of base: Typed) -> [StoreProperty]? {
    base.type.entity.flatMap { try? Sample.entity($0).properties }
  }

  /// Returns a property of an object, in one of the forms for objects that may be nil.
  private mutating func property(_ property: StoreProperty, of base: Typed) -> Typed {
    member(property.name, SampleTypes.type(of: property), of: base)
  }

  private mutating func member(_ name: String, _ type: QueryType, of base: Typed) -> Typed {
    guard base.type.isOptional else { return (.property(base.expression, name), type) }
    guard source.oneIn(2) else { return (.property(base.expression, name), type.optional) }
    let variable = scope.count
    let body = QueryExpression.property(.element(variable), name)
    return (.map(base.expression, variable: variable, body: body), type.optional)
  }

  /// Returns, sometimes, a property of a structured value; other values stay unchanged.
  private mutating func member(of base: Typed) -> Typed {
    guard case .structure(let name) = base.type.unwrapped, source.below(4) > 0,
      let members = SampleTypes.structures[name]
    else { return base }
    let chosen = source.pick(members)
    return member(of: member(chosen.name, chosen.type, of: base))
  }

  private mutating func throughStructure(of base: Typed, to goal: QueryType) -> QueryExpression? {
    let holders = (properties(of: base) ?? []).filter {
      if case .structure = SampleTypes.type(of: $0).unwrapped { true } else { false }
    }
    guard !holders.isEmpty else { return nil }
    let inner = member(of: property(source.pick(holders), of: base))
    return inner.type.unwrapped == goal.unwrapped ? adapted(inner, to: goal) : nil
  }

  /// Returns an object at the other end of a relationship.
  private mutating func hop(from base: Typed) -> Typed? {
    let ends = (properties(of: base) ?? []).filter { $0.relationship != nil }
    guard !ends.isEmpty else { return nil }
    let end = property(source.pick(ends), of: base)
    guard let element = end.type.unwrapped.element else { return end }
    let list = adapted(end, to: .list(element))
    return (.aggregate(source.oneIn(2) ? .first : .last, list), element.optional)
  }

  /// Returns the object cast to a subentity of its own entity.
  private mutating func narrowed(_ base: Typed) -> Typed {
    guard let entity = base.type.entity else { return base }
    let kind = source.pick(Sample.schema.storeSchema.family(of: entity)).name
    return (.cast(base.expression, entity: kind), .optional(.object(kind)))
  }
}
