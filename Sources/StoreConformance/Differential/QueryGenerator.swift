import StoreProtocol

/// Creates random expressions of given types, queries and selections over the sample schema.
///
/// It creates every node of ``QueryExpression``, anywhere its type allows it.
struct QueryGenerator {
  var source: RandomSource
  /// The rows that constants may refer to.
  let rows: [PersistentIdentifier]
  /// The types of the variables in scope, by number; 0 is the fetched row.
  var scope: [QueryType] = []

  typealias Typed = (expression: QueryExpression, type: QueryType)

  /// Returns an expression of a type, or of a type that can replace it.
  mutating func expression(_ goal: QueryType, _ depth: Int) -> QueryExpression {
    guard depth > 0 else { return leaf(goal) }
    switch source.below(12) {
    case 0:
      return .conditional(
        condition(depth - 1),
        then: expression(goal, depth - 1),
        else: expression(goal, depth - 1)
      )
    case 1:
      return .coalesce(expression(goal.optional, depth - 1), expression(goal, depth - 1))
    case 2 where !goal.isOptional: return .unwrap(expression(goal.optional, depth - 1))
    case 3...6: return computed(goal, depth) ?? leaf(goal)
    default: return leaf(goal)
    }
  }

  /// Returns a constant, a variable or a path.
  mutating func leaf(_ goal: QueryType) -> QueryExpression {
    let isPlain = goal.attributeType != nil && goal != .scalar(.data)
    return source.oneIn(isPlain ? 3 : 10) ? constant(goal) : path(to: goal) ?? constant(goal)
  }

  /// Returns a constant, sometimes nil if the type allows it.
  mutating func constant(_ type: QueryType) -> QueryExpression {
    if type.isOptional, source.oneIn(3) { return .constant(.null) }
    switch type.unwrapped {
    case .object(let entity):
      return .constant(identifier(of: entity).map(StoreValue.identifier) ?? .null)
    case .list(.object(let entity)): return .constant(.identifiers(identifiers(of: entity)))
    case let plain: return .constant(source.value(of: plain))
    }
  }

  /// Returns some rows of an entity.
  mutating func identifiers(of entity: String) -> [PersistentIdentifier] {
    (0..<source.below(5)).compactMap { _ in identifier(of: entity) }
  }

  mutating func identifier(of entity: String) -> PersistentIdentifier? {
    let kind = Sample.schema.storeSchema.family(of: entity).map(\.name)
    return rows.filter { kind.contains($0.entityName) }.randomElement(using: &source)
  }

  /// Returns a constant to compare with, which may refer to a missing row.
  mutating func operand(_ type: QueryType) -> QueryExpression {
    guard source.oneIn(20), let entity = type.entity else { return constant(type) }
    return .constant(.identifier(DifferentialRow.identifier(1_000, entity)))
  }

  /// Runs a body with a new variable in scope.
  mutating func withVariable<Result>(
    _ type: QueryType,
    _ body: (inout QueryGenerator, Int) -> Result
  ) -> Result {
    scope.append(type)
    defer { scope.removeLast() }
    return body(&self, scope.count - 1)
  }

  /// Returns an operation whose result has the wanted type, or `nil` if there is none.
  private mutating func computed(_ goal: QueryType, _ depth: Int) -> QueryExpression? {
    if source.oneIn(4), let function = function(goal, depth) { return function }
    switch goal {
    case .bool: return condition(depth)
    case .scalar(let type):
      if type == .int64, source.oneIn(2) { return integer(depth) }
      return goal.isNumber ? arithmetic(type, depth) : taken(goal, depth)
    case .optional(let wrapped): return optional(wrapped, depth)
    case .list(let element): return filter(element, depth)
    case .object(let entity): return object(of: entity)
    case .dictionary, .structure, .tree: return nil
    }
  }

  private static let operations: [QueryExpression.Arithmetic] = [
    .add, .subtract, .multiply, .divide, .remainder,
  ]

  private static let decimalOperations: [QueryExpression.Arithmetic] = [
    .add, .subtract, .multiply, .divide,
  ]

  private mutating func arithmetic(_ type: AttributeType, _ depth: Int) -> QueryExpression {
    let goal = QueryType.scalar(type)
    if source.oneIn(5), !type.rawValue.hasPrefix("u") {
      return .negate(expression(goal, depth - 1), type)
    }
    return .arithmetic(
      source.pick(type == .decimal ? Self.decimalOperations : Self.operations),
      expression(goal, depth - 1),
      expression(goal, depth - 1),
      type
    )
  }

  /// Returns a function whose result has the wanted type, or `nil` if there is none.
  private mutating func function(_ goal: QueryType, _ depth: Int) -> QueryExpression? {
    guard case .scalar(let result) = goal else { return nil }
    let arguments: [AttributeType] = [.int64, .double, .decimal, .date, .uuid]
    let fitting = QueryFunction.allCases.flatMap { function in
      arguments.filter { function.result(of: $0) == result }.map { (function, $0) }
    }
    guard !fitting.isEmpty else { return nil }
    let (function, argument) = source.pick(fitting)
    return .function(function, expression(.scalar(argument), depth - 1))
  }

  /// Returns an integer that is computed from another expression.
  private mutating func integer(_ depth: Int) -> QueryExpression {
    guard !source.oneIn(4) else {
      return .text(
        source.oneIn(2) ? .caseInsensitiveCompare : .localizedCompare,
        expression(.text, depth - 1),
        expression(.text, depth - 1)
      )
    }
    return .aggregate(.count, collection(depth - 1).expression)
  }

  /// Returns an element of a list by its position.
  private mutating func taken(_ goal: QueryType, _ depth: Int) -> QueryExpression? {
    guard goal == .text else { return nil }
    return .subscripted(expression(.list(goal), depth - 1), expression(.int, 0))
  }

  private mutating func filter(_ element: QueryType, _ depth: Int) -> QueryExpression {
    let list = expression(.list(element), depth - 1)
    return withVariable(element) { maker, variable in
      .filter(list, variable: variable, maker.condition(depth - 1))
    }
  }

  /// Returns an expression that has a value or is nil.
  private mutating func optional(_ wrapped: QueryType, _ depth: Int) -> QueryExpression {
    switch source.below(4) {
    case 0:
      return .aggregate(
        source.pick(wrapped.attributeType == nil ? [.first, .last] : Self.selections),
        expression(.list(wrapped), depth - 1)
      )
    case 1 where wrapped == .int:
      return .subscripted(
        expression(.dictionary(.int), depth - 1),
        source.oneIn(2) ? constant(.text) : .constant(.string(source.pick(["a", "b", "\u{E9}"])))
      )
    case 2: return mapped(wrapped, depth)
    default: return expression(wrapped, depth - 1)
    }
  }

  private static let selections: [QueryExpression.Aggregate] = [.first, .last, .minimum, .maximum]

  private mutating func mapped(_ wrapped: QueryType, _ depth: Int) -> QueryExpression {
    let operand = probe(depth - 1)
    return withVariable(operand.type.unwrapped) { maker, variable in
      let body = maker.expression(maker.source.oneIn(2) ? wrapped : .optional(wrapped), depth - 1)
      return .map(operand.expression, variable: variable, body: body)
    }
  }
}
