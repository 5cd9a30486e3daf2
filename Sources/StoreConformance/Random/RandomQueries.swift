import StoreProtocol

/// Makes random queries whose expressions are of the right types.
struct RandomQueries {
  var source: RandomSource
  /// The rows that queries may name.
  let identifiers: [PersistentIdentifier]

  /// A query with a filter, often an order, sometimes a window.
  mutating func query() throws -> StoreQuery {
    let names = ["Specimen", "Specimen", "Person", "Animal", "Dog", "Cat", "Group"]
    let entity = try Sample.entity(names[source.below(names.count)])
    return StoreQuery(
      entity: entity.name,
      includesSubentities: !source.oneIn(5),
      filter: source.oneIn(10) ? nil : try condition(on: .element(0), entity, depth: 3),
      sort: try (0..<source.below(3)).map { _ in try term(entity) },
      offset: source.oneIn(4) ? source.below(6) : 0,
      limit: source.oneIn(4) ? source.below(8) : nil
    )
  }

  private mutating func term(_ entity: StoreEntity) throws -> QuerySort {
    let sortable = entity.properties.filter {
      !$0.isEphemeral && $0.relationship == nil && $0.attributeType != .codable
    }
    let property = sortable[source.below(sortable.count)]
    return QuerySort(property: property.name, isReversed: source.oneIn(2))
  }

  /// A condition on an object, deeper ones made of others.
  private mutating func condition(
    on object: QueryExpression,
    _ entity: StoreEntity,
    depth: Int
  ) throws -> QueryExpression {
    if depth > 0, source.oneIn(2) {
      let first = try condition(on: object, entity, depth: depth - 1)
      guard !source.oneIn(4) else { return .not(first) }
      let second = try condition(on: object, entity, depth: depth - 1)
      return source.oneIn(2) ? .and([first, second]) : .or([first, second])
    }
    let property = entity.properties[source.below(entity.properties.count)]
    let value = QueryExpression.property(object, property.name)
    guard let type = property.attributeType else {
      return try related(value, property, variable: depth + 1)
    }
    if type == .string, source.oneIn(2) { return text(value) }
    return comparison(value, type)
  }

  private mutating func comparison(
    _ value: QueryExpression,
    _ type: AttributeType
  ) -> QueryExpression {
    let values = SampleValues.values(of: type)
    if source.oneIn(5), type != .codable {
      let list = source.some(of: values, atMost: 4)
      return .contains(.constant(.array(list)), value)
    }
    let isOrdered = ![.bool, .data, .uuid, .url, .codable].contains(type)
    let comparisons: [QueryExpression.Comparison] =
      isOrdered
      ? [.equal, .notEqual, .less, .lessOrEqual, .greater, .greaterOrEqual] : [.equal, .notEqual]
    let constant = source.oneIn(6) ? .null : values[source.below(values.count)]
    return .compare(
      comparisons[source.below(comparisons.count)],
      value,
      .constant(constant)
    )
  }

  private mutating func text(_ value: QueryExpression) -> QueryExpression {
    let needle = SampleValues.strings[source.below(SampleValues.strings.count)]
    return .text(
      source.oneIn(2) ? .contains : .startsWith,
      .coalesce(value, .constant(.string("none"))),
      .constant(.string(needle))
    )
  }

  private mutating func related(
    _ value: QueryExpression,
    _ property: StoreProperty,
    variable: Int
  ) throws -> QueryExpression {
    guard let relationship = property.relationship else { return .constant(.bool(true)) }
    let entity = try Sample.entity(relationship.destination)
    guard property.isToMany else {
      let isComparing = source.oneIn(2)
      let one = identifiers[source.below(identifiers.count)]
      return isComparing
        ? .compare(.equal, value, .constant(source.oneIn(3) ? .null : .identifier(one)))
        : .compare(.notEqual, .property(value, "name"), .constant(.string("")))
    }
    if source.oneIn(2) {
      let count = QueryExpression.constant(.integer(Int64(source.below(3))))
      return .compare(.greaterOrEqual, .aggregate(.count, value), count)
    }
    return .quantified(
      source.oneIn(2) ? .some : .every,
      value,
      variable: variable + 10,
      try condition(on: .element(variable + 10), entity, depth: 0)
    )
  }
}
