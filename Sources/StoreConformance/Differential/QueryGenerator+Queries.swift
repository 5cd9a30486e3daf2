import StoreProtocol

extension QueryGenerator {
  private static let entities = [
    "Exhibit", "Exhibit", "Exhibit", "Exhibit", "Specimen", "Specimen", "Person", "Person",
    "Person", "Animal", "Dog", "Cat", "Group", "Passport", "Seat",
  ]

  /// Returns a query with a filter, often a sort order, sometimes a limit and offset.
  mutating func query() -> StoreQuery {
    let entity = source.pick(Self.entities)
    scope = [.object(entity)]
    var query = StoreQuery(entity: entity, includesSubentities: !source.oneIn(5))
    if !source.oneIn(12) { query.filter = filter() }
    query.sort = (0..<source.below(3)).map { _ in term() }
    if source.oneIn(3) { query.offset = source.pick([0, 1, 2, 5, -1, 100]) }
    if source.oneIn(3) { query.limit = source.pick([0, 1, 2, 3, 7, -1, 100, .max]) }
    return query
  }

  private mutating func filter() -> QueryExpression {
    if source.oneIn(40) {
      return .contains(.constant(.identifiers(identifiers(of: scope[0].entity ?? ""))), .element(0))
    }
    return condition(1 + source.below(3))
  }

  /// Returns a sort term, usually a property or a path.
  private mutating func term() -> QuerySort {
    QuerySort(orderable(), isReversed: source.oneIn(2))
  }

  private mutating func orderable() -> QueryExpression {
    if source.oneIn(8) { return expression(.scalar(source.pick([.int64, .double, .string])), 2) }
    for _ in 0..<6 {
      let found = probe(1)
      if found.type.attributeType != nil || found.type.entity != nil { return found.expression }
    }
    return .aggregate(.count, collection(1).expression)
  }

  /// Returns a projection, or groups with aggregates.
  mutating func selection() -> StoreSelection {
    var selection = StoreSelection(query(), columns: [])
    guard source.below(3) > 0 else {
      selection.columns = (0..<(1 + source.below(3))).map { _ in .value(value().expression) }
      return selection
    }
    selection.groups = (0..<source.below(3)).map { _ in value().expression }
    var types: [QueryType] = []
    for _ in 0..<(1 + source.below(3)) {
      let column = column(groups: selection.groups ?? [])
      selection.columns.append(column.column)
      types.append(column.type)
    }
    if source.oneIn(3) { selection.having = having(types) }
    selection.order = (0..<source.below(3)).map { _ in
      QuerySort(StoreSelection.column(source.below(types.count)), isReversed: source.oneIn(2))
    }
    return selection
  }

  /// Returns a value to select or to group by: a scalar or an object.
  private mutating func value() -> Typed {
    if source.oneIn(5) {
      let type = QueryType.scalar(source.pick([.int64, .double, .string, .bool]))
      return (expression(type, 2), type)
    }
    for _ in 0..<6 {
      let found = probe(1)
      if found.type.attributeType != nil || found.type.entity != nil { return found }
    }
    return (.aggregate(.count, collection(1).expression), .int)
  }

  private mutating func column(
    groups: [QueryExpression]
  ) -> (column: StoreSelection.Column, type: QueryType) {
    if !groups.isEmpty, source.oneIn(2) {
      let key = source.below(groups.count)
      return (.key(key), QueryTyping([0: scope[0]]).type(of: groups[key]) ?? .tree)
    }
    let function = source.pick(StoreSelection.Function.allCases)
    if source.oneIn(4) { return (.count, .int) }
    guard function == .sum || function == .average else {
      let found = value()
      let isExtreme = function == .minimum || function == .maximum
      let column = StoreSelection.Column.aggregate(
        function,
        found.expression,
        found.type.attributeType ?? .codable
      )
      return (column, isExtreme ? found.type.optional : .int)
    }
    let type = source.pick([AttributeType.int64, .int8, .uint64, .double, .float, .decimal])
    let value = leaf(source.oneIn(3) ? .scalar(type) : .optional(.scalar(type)))
    return (.aggregate(function, value, type), .scalar(type == .decimal ? .decimal : .double))
  }

  /// Returns a condition on the columns of a result.
  private mutating func having(_ types: [QueryType]) -> QueryExpression {
    let number = source.below(types.count)
    let column = StoreSelection.column(number)
    guard types[number].attributeType != nil else {
      return .compare(.notEqual, column, .constant(.null))
    }
    let test = QueryExpression.compare(
      source.pick([.equal, .notEqual, .less, .greaterOrEqual]),
      column,
      constant(types[number])
    )
    return source.oneIn(3) ? .not(test) : test
  }
}
