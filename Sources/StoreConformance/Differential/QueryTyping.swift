import StoreProtocol

/// The types of expressions over the sample schema.
struct QueryTyping {
  var variables: [Int: QueryType]

  init(_ variables: [Int: QueryType]) { self.variables = variables }

  /// Returns the types within an expression that binds a variable, for its second child.
  func binding(_ expression: QueryExpression) -> QueryTyping {
    guard let variable = expression.boundVariable, let operand = type(of: expression.children[0])
    else { return self }
    var inner = self
    if case .map = expression {
      inner.variables[variable] = operand.unwrapped
    } else {
      inner.variables[variable] = operand.element
    }
    return inner
  }

  /// Returns the type of an expression, or `nil` for nil, empty lists, and expressions made of
  /// these.
  func type(of expression: QueryExpression) -> QueryType? {
    switch expression {
    case .constant(let value): Self.type(of: value)
    case .element(let variable): variables[variable]
    case .property(let base, let name): type(of: base).flatMap { Self.type(of: name, in: $0) }
    case .arithmetic(_, _, _, let type), .negate(_, let type): .scalar(type)
    case .conditional(_, let first, let second): either(first, second)
    case .coalesce(let first, let second): fallback(first, second)
    case .map(_, _, let body): binding(expression).type(of: body)?.optional
    case .unwrap(let operand): type(of: operand)?.unwrapped
    case .filter(let list, _, _): type(of: list)?.element.map { .list($0) }
    case .aggregate(let aggregate, let list): type(of: aggregate, list)
    case .function(let function, let operand):
      type(of: operand)?.attributeType.flatMap(function.result).map { .scalar($0) }
    case .subscripted(let list, _): type(ofElementOf: list)
    case .text(.caseInsensitiveCompare, _, _), .text(.localizedCompare, _, _): .int
    case .cast(_, let entity): .optional(.object(entity))
    default: .bool
    }
  }

  // A constant fits several types, so its own type says least.
  private func either(_ first: QueryExpression, _ second: QueryExpression) -> QueryType? {
    guard let a = type(of: first) else { return type(of: second)?.optional }
    guard let b = type(of: second) else { return a.optional }
    let isOptional = a.isOptional || b.isOptional
    let type = first.isConstant ? b : a
    return isOptional ? type.optional : type
  }

  private func fallback(_ first: QueryExpression, _ second: QueryExpression) -> QueryType? {
    let wrapped = type(of: first)?.unwrapped
    if second == .constant(.null) { return wrapped?.optional }
    return second.isConstant ? wrapped ?? type(of: second) : type(of: second)
  }

  private func type(
    of aggregate: QueryExpression.Aggregate,
    _ list: QueryExpression
  ) -> QueryType? {
    switch aggregate {
    case .count: .int
    case .isEmpty: .bool
    default: type(of: list)?.element?.optional
    }
  }

  private func type(ofElementOf list: QueryExpression) -> QueryType? {
    guard let type = type(of: list) else { return nil }
    if case .dictionary(let value) = type { return value.optional }
    return type.element
  }

  private static func type(of name: String, in base: QueryType) -> QueryType? {
    let type: QueryType? =
      switch base.unwrapped {
      case .object(let entity):
        (try? Sample.entity(entity).property(named: name)).map(SampleTypes.type(of:))
      case .structure(let structure): SampleTypes.type(of: name, in: structure)
      default: nil
      }
    return base.isOptional ? type?.optional : type
  }
}

extension QueryTyping {
  /// Returns whether an expression could trap in Swift, judged by its form.
  func canTrap(_ expression: QueryExpression) -> Bool {
    if trapsItself(expression) || mayAskMissing(expression) { return true }
    let inner = binding(expression)
    return expression.children.enumerated().contains { index, child in
      (index == 1 && expression.boundVariable != nil ? inner : self).canTrap(child)
    }
  }

  private func trapsItself(_ expression: QueryExpression) -> Bool {
    switch expression {
    case .unwrap, .subscripted, .negate, .arithmetic: true
    case .isInRange(_, .constant(let low), .constant(let high), _):
      StoreValue.sortOrder(low, high) > 0 || low.isEqual(to: .null) || !low.isEqual(to: low)
        || !high.isEqual(to: high)
    case .isInRange: true
    case .not(let part): !isCondition(part)
    case .and(let parts), .or(let parts): !parts.allSatisfy(isCondition)
    case .conditional(let test, _, _), .quantified(_, _, _, let test), .filter(_, _, let test):
      !binding(expression).isCondition(test)
    default: false
    }
  }

  // A row that is gone has no elements and no logical value.
  private func mayAskMissing(_ expression: QueryExpression) -> Bool {
    !expression.rowsToAsk.isEmpty
  }

  private func isCondition(_ expression: QueryExpression) -> Bool {
    if case .constant(.bool) = expression { return true }
    return type(of: expression) == .bool
  }

  /// Returns whether a filter can be evaluated for each row.
  func canDecide(_ filter: QueryExpression) -> Bool { isCondition(filter) && !canTrap(filter) }
}

extension QueryTyping {
  private static func type(of constant: StoreValue) -> QueryType? {
    switch constant {
    case .null: nil
    case .bool: .bool
    case .integer, .unsigned: .int
    case .double: .scalar(.double)
    case .decimal: .scalar(.decimal)
    case .string: .text
    case .date: .scalar(.date)
    case .data: .scalar(.data)
    case .uuid: .scalar(.uuid)
    case .identifier(let one): .object(one.entityName)
    case .identifiers(let list): commonEntity(of: list).map { .list(.object($0)) }
    case .array(let list): listType(list)
    case .composite: .tree
    }
  }

  private static func listType(_ list: [StoreValue]) -> QueryType? {
    guard let element = list.lazy.compactMap({ type(of: $0) }).first else { return nil }
    return .list(list.contains(where: \.isNull) ? element.optional : element)
  }

  /// Returns the most specific entity of all rows of a list.
  private static func commonEntity(of list: [PersistentIdentifier]) -> String? {
    let schema = Sample.schema.storeSchema
    var entity = list.first?.entityName
    while let name = entity {
      if list.allSatisfy({ schema.isEntity($0.entityName, kindOf: name) }) { return name }
      entity = schema.entity(named: name)?.superentity
    }
    return nil
  }
}

extension QueryExpression {
  fileprivate var isConstant: Bool {
    if case .constant = self { return true }
    return false
  }

  /// The rows whose properties are read here, not only compared.
  var rowsToAsk: [PersistentIdentifier] {
    switch self {
    case .compare, .contains: []
    default:
      children.flatMap { child -> [PersistentIdentifier] in
        switch child {
        case .constant(.identifier(let one)): [one]
        case .constant(.identifiers(let list)): list
        default: []
        }
      }
    }
  }
}
