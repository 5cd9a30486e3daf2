import StoreProtocol

/// Compiles expressions into closures once, so that the evaluation of rows does not inspect their
/// structure.
struct QueryCompiler<Row: QueryRow> {
  /// The bindings of variables.
  ///
  /// The row is variable 0; it is passed separately, because copying it into the frame costs more.
  typealias Frame = QueryFrame<Row>
  typealias Value = (Row, Frame) throws -> StoreValue
  typealias Condition = (Row, Frame) throws -> Bool

  let schema: StoreSchema

  /// Compiles an expression for its value.
  func value(_ expression: QueryExpression) throws -> Value {
    switch expression {
    case .constant(let value): return { _, _ in value }
    case .element(0): return { row, _ in .identifier(row.identifier) }
    case .element(let variable): return { _, frame in frame.value(of: variable) }
    case .property(let base, let name): return try property(name, of: base)
    case .arithmetic(let operation, let left, let right, let type):
      return try arithmetic(operation, left, right, type)
    case .negate(let operand, let type): return try arithmetic(negating: operand, type)
    case .conditional(let test, let first, let second):
      let (test, first, second) = (try condition(test), try value(first), try value(second))
      return { try test($0, $1) ? try first($0, $1) : try second($0, $1) }
    case .coalesce, .map, .unwrap: return try optional(expression)
    case .filter, .aggregate, .subscripted: return try collection(expression)
    case .function(let function, let operand):
      let operand = try value(operand)
      return { row, frame in
        guard let result = function.value(of: try operand(row, frame)) else {
          throw QueryTrap.noValue
        }
        return result
      }
    case .text(let test, let left, let right) where test.isComparison:
      return try textComparison(test, left, right)
    case .cast(let object, let entity):
      let (object, isKind) = (try value(object), try kindTest(object, entity))
      return { try isKind($0, $1) ? try object($0, $1) : .null }
    default:
      let test = try condition(expression)
      return { .bool(try test($0, $1)) }
    }
  }

  /// Compiles an expression for its Boolean value.
  func condition(_ expression: QueryExpression) throws -> Condition {
    switch expression {
    case .compare(let comparison, let left, let right):
      return try compare(comparison, left, right)
    case .and(let parts): return try conjunction(parts)
    case .or(let parts): return try disjunction(parts)
    case .not(let part):
      let part = try condition(part)
      return { !(try part($0, $1)) }
    case .contains(let list, let element): return try contains(list, element)
    case .isInRange(let operand, let lower, let upper, let closed):
      return try isInRange(operand, lower, upper, closed: closed)
    case .quantified(let quantifier, let list, let variable, let test):
      return try quantified(quantifier, list, variable, test)
    case .text(let test, let left, let right) where !test.isComparison:
      return try textTest(test, left, right)
    case .matches(let text, let pattern): return try isFound(pattern.isFound, in: text)
    case .searches(let text, let search): return try isFound(search.isFound, in: text)
    case .isKind(let object, let entity): return try kindTest(object, entity)
    default:
      let result = try value(expression)
      return { try Self.boolean(result($0, $1)) }
    }
  }

  private func conjunction(_ parts: [QueryExpression]) throws -> Condition {
    let parts = try parts.map(condition)
    if parts.count == 2 {
      let (first, second) = (parts[0], parts[1])
      return { try first($0, $1) && second($0, $1) }
    }
    return { row, frame in
      for part in parts where !(try part(row, frame)) { return false }
      return true
    }
  }

  private func disjunction(_ parts: [QueryExpression]) throws -> Condition {
    let parts = try parts.map(condition)
    return { row, frame in
      for part in parts where try part(row, frame) { return true }
      return false
    }
  }

  /// Returns a Boolean; nil, which only a missing row results in, has none.
  static func boolean(_ value: StoreValue) throws -> Bool {
    switch value {
    case .bool(let result): return result
    case .integer(let number): return number != 0
    default: throw QueryTrap.noValue
    }
  }
}
