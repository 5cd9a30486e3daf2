import StoreProtocol

extension QueryGenerator {
  /// Returns an expression with elements.
  mutating func collection(_ depth: Int) -> Typed {
    for _ in 0..<4 {
      let found = source.oneIn(4) ? objects(depth) : probe(depth)
      if found.type.element != nil { return found }
      if case .optional(let list) = found.type, list.element != nil {
        return (adapted(found, to: list), list)
      }
    }
    let type = source.pick([QueryType.list(.text), .list(.int), .list(.optional(.int)), .text])
    return (expression(type, depth), type)
  }

  /// Returns the objects of a relationship, sometimes filtered.
  private mutating func objects(_ depth: Int) -> Typed {
    let goal = QueryType.list(.object(source.pick(["Person", "Animal", "Exhibit", "Group"])))
    return (expression(goal, depth), goal)
  }

  /// Returns a condition on some or all elements of a collection.
  mutating func quantified(_ depth: Int) -> QueryExpression {
    quantified(over: source.oneIn(3) ? collection(depth - 1) : related(depth), depth)
  }

  mutating func quantified(over list: Typed, _ depth: Int) -> QueryExpression {
    guard let element = list.type.element else { return .constant(.bool(true)) }
    let quantifier: QueryExpression.Quantifier = source.oneIn(2) ? .some : .every
    return withVariable(element) { maker, variable in
      .quantified(quantifier, list.expression, variable: variable, maker.condition(depth - 1))
    }
  }

  /// Returns the related objects of an object in scope.
  private mutating func related(_ depth: Int) -> Typed {
    for _ in 0..<6 {
      let base = object()
      guard let entity = base.type.entity, !base.type.isOptional || source.oneIn(3),
        let properties = try? Sample.entity(entity).properties.filter(\.isToMany),
        !properties.isEmpty
      else { continue }
      let chosen = source.pick(properties)
      let type = SampleTypes.type(of: chosen)
      let found: Typed = (
        .property(base.expression, chosen.name), base.type.isOptional ? type.optional : type
      )
      return (adapted(found, to: type), type)
    }
    return collection(depth)
  }
}
