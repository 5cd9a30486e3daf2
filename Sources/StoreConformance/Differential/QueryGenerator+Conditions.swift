import StoreProtocol

extension QueryGenerator {
  /// Returns a condition; deeper ones are composed of others.
  mutating func condition(_ depth: Int) -> QueryExpression {
    guard depth > 0 else { return simple(0) }
    switch source.below(20) {
    case 0...3: return .and(conditions(depth))
    case 4...6: return .or(conditions(depth))
    case 7, 8: return .not(condition(depth - 1))
    case 9...11: return quantified(depth)
    case 12: return expression(.bool, depth - 1)
    default: return simple(depth)
    }
  }

  private mutating func conditions(_ depth: Int) -> [QueryExpression] {
    let count = source.oneIn(12) ? source.below(2) : 2 + source.below(2)
    return (0..<count).map { _ in condition(depth - 1) }
  }

  /// Returns a condition without nested conditions.
  private mutating func simple(_ depth: Int) -> QueryExpression {
    switch source.below(26) {
    case 24: return takenComparison(depth)
    case 25: return textOrder(depth)
    case 0: return isInRange(depth)
    case 1: return kindTest()
    case 2...4: return text(depth)
    case 5: return .aggregate(.isEmpty, collection(depth - 1).expression)
    case 6: return membership(depth)
    case 7: return sequences(depth)
    case 8: return computedComparison(depth)
    case 9: return path(to: .bool) ?? .constant(.bool(true))
    default: return question(about: probe(depth), depth)
    }
  }

  /// Returns a condition that suits the type of a value.
  private mutating func question(about value: Typed, _ depth: Int) -> QueryExpression {
    let type = value.type
    if type.element != nil, case .list = type {
      return source.oneIn(2)
        ? quantified(over: value, depth)
        : .contains(value.expression, expression(type.element ?? .int, depth - 1))
    }
    switch source.below(6) {
    case 0 where type.isOptional:
      return .compare(source.oneIn(2) ? .equal : .notEqual, value.expression, .constant(.null))
    case 1 where type.isListable: return oneOf(value)
    case 2 where type.unwrapped == .text: return text(depth)
    case 3 where type == .bool: return value.expression
    case 4 where type == .optional(.bool) && source.oneIn(4): return value.expression
    default: return comparison(of: value, depth)
    }
  }

  /// Returns a comparison with a value of the same type, or sometimes with a number of another
  /// type.
  private mutating func comparison(of value: Typed, _ depth: Int) -> QueryExpression {
    var type = source.oneIn(4) ? value.type.optional : value.type
    if value.type.unwrapped.isNumber, source.oneIn(15) {
      type = .scalar(source.pick([.int64, .uint64, .double, .decimal]))
    }
    let other = source.below(3) > 0 ? operand(type) : expression(type, depth - 1)
    let sides = source.oneIn(4) ? (other, value.expression) : (value.expression, other)
    return .compare(comparisonKind(value.type), sides.0, sides.1)
  }

  private mutating func comparisonKind(_ type: QueryType) -> QueryExpression.Comparison {
    guard type.attributeType != nil else { return source.oneIn(2) ? .equal : .notEqual }
    return source.pick([.equal, .notEqual, .less, .lessOrEqual, .greater, .greaterOrEqual])
  }

  private mutating func computedComparison(_ depth: Int) -> QueryExpression {
    let type = source.pick(Self.computedTypes)
    return .compare(
      comparisonKind(.scalar(type)),
      expression(.scalar(type), max(depth, 1)),
      expression(.scalar(type), depth - 1)
    )
  }

  /// Returns a comparison of an element that was taken from a collection.
  private mutating func takenComparison(_ depth: Int) -> QueryExpression {
    let list = collection(depth - 1)
    guard let element = list.type.element else { return .constant(.bool(true)) }
    let selections: [QueryExpression.Aggregate] =
      element.attributeType == nil ? [.first, .last] : [.first, .last, .minimum, .maximum]
    let selected = QueryExpression.aggregate(source.pick(selections), list.expression)
    return comparison(of: (selected, element.optional), depth)
  }

  /// Returns a condition on the order of two strings.
  private mutating func textOrder(_ depth: Int) -> QueryExpression {
    let order = QueryExpression.text(
      source.oneIn(2) ? .caseInsensitiveCompare : .localizedCompare,
      path(to: .text) ?? constant(.text),
      source.oneIn(2) ? constant(.text) : expression(.text, depth - 1)
    )
    return .compare(comparisonKind(.int), order, .constant(.integer(Int64(source.below(3) - 1))))
  }

  private static let computedTypes: [AttributeType] = [
    .int64, .int64, .int8, .uint64, .uint8, .int32, .double, .double, .float, .decimal, .string,
    .date,
  ]

  /// Returns a condition whether a value is in a constant list, which is sometimes long.
  private mutating func oneOf(_ value: Typed) -> QueryExpression {
    if let entity = value.type.entity {
      var list = identifiers(of: entity)
      if source.oneIn(8) { list.append(DifferentialRow.identifier(1_000, entity)) }
      return .contains(.constant(.identifiers(list)), value.expression)
    }
    let type = source.oneIn(4) ? value.type.optional : value.type.unwrapped
    let count = source.oneIn(6) ? 12 : source.below(4)
    let list = (0..<count).map { _ in source.value(of: type) }
    return .contains(.constant(.array(list)), value.expression)
  }

  /// Returns a condition whether a computed list contains a computed value.
  private mutating func membership(_ depth: Int) -> QueryExpression {
    let list = collection(depth - 1)
    guard let element = list.type.element else { return .aggregate(.isEmpty, list.expression) }
    return .contains(list.expression, expression(element, depth - 1))
  }

  private mutating func kindTest() -> QueryExpression {
    let base = object()
    guard let entity = base.type.entity else { return .constant(.bool(false)) }
    let family = Sample.schema.storeSchema.family(of: entity).map(\.name)
    let kind = source.oneIn(10) ? "Group" : source.pick(family)
    return .isKind(base.expression, entity: kind)
  }

  /// Returns a condition on a string.
  private mutating func text(_ depth: Int) -> QueryExpression {
    let text = source.oneIn(4) ? expression(.text, depth - 1) : path(to: .text) ?? constant(.text)
    switch source.below(10) {
    case 0: return .matches(text, source.pick(SamplePatterns.all))
    case 1, 2: return .searches(text, TextSearch(source.pick(SamplePatterns.searches)))
    case 3, 4: return .text(.localizedStandardContains, text, constant(.text))
    case 5, 6: return .text(.startsWith, text, constant(.text))
    case 7:
      return .text(source.oneIn(2) ? .contains : .startsWith, text, expression(.text, depth - 1))
    default: return .text(.contains, text, constant(.text))
    }
  }

  /// Returns a condition whether one sequence contains another.
  private mutating func sequences(_ depth: Int) -> QueryExpression {
    let type = source.pick([QueryType.list(.text), .list(.int), .scalar(.data)])
    return .text(
      source.oneIn(2) ? .contains : .startsWith,
      expression(type, depth - 1),
      source.oneIn(2) ? constant(type) : expression(type, depth - 1)
    )
  }

  private mutating func isInRange(_ depth: Int) -> QueryExpression {
    let type = source.pick(Self.computedTypes)
    let goal = QueryType.scalar(type)
    var ends = [source.value(of: goal), source.value(of: goal)]
    if !source.oneIn(8) { ends.sort { StoreValue.sortOrder($0, $1) < 0 } }
    let isConstant = source.below(3) > 0
    let operand = expression(source.oneIn(3) ? goal.optional : goal, max(depth - 1, 0))
    return .isInRange(
      operand,
      lower: isConstant ? .constant(ends[0]) : expression(goal, depth - 1),
      upper: isConstant ? .constant(ends[1]) : expression(goal, depth - 1),
      closed: source.oneIn(2)
    )
  }
}
