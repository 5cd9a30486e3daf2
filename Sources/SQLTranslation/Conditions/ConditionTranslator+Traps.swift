import QueryEvaluation
import StoreProtocol

/// A conservative analysis of where Swift may trap: an expression not known to be safe may trap.
extension ConditionTranslator {
  /// Whether an expression may trap if used as a condition, which nil is not.
  package func conditionMayTrap(_ expression: QueryExpression) -> Bool {
    mayTrap(expression) || mayBeNil(expression)
  }

  /// Whether the evaluation of an expression may trap.
  package func mayTrap(_ expression: QueryExpression) -> Bool {
    switch expression {
    case .constant: false
    case .element(let variable): variableMayTrap(variable)
    case .property(let base, _), .isKind(let base, _), .cast(let base, _): mayTrap(base)
    case .compare(_, let left, let right), .coalesce(let left, let right):
      mayTrap(left) || mayTrap(right)
    case .and(let parts), .or(let parts): parts.contains(where: conditionMayTrap)
    case .not(let part): conditionMayTrap(part)
    case .arithmetic(_, let left, let right, let type):
      !type.isReal || mayFail(left) || mayFail(right)
    case .negate(let value, let type): !type.isReal || mayFail(value)
    case .conditional(let test, let first, let second):
      conditionMayTrap(test) || mayTrap(first) || mayTrap(second)
    case .map(let operand, let variable, let body):
      mayTrap(operand) || binding(variable, to: .expression(operand, self)).mayTrap(body)
    case .isInRange(let value, let lower, let upper, _):
      rangeMayTrap(lower, upper) || mayTrap(value)
    case .contains(let list, let value): mayFail(list) || mayTrap(value)
    case .quantified(_, let list, let variable, let test),
      .filter(let list, let variable, let test):
      mayFail(list)
        || binding(variable, to: .local(kind(of: list).element)).conditionMayTrap(test)
    case .subscripted: true
    // All others need the values of their parts.
    default: expression.children.contains(where: mayFail)
    }
  }

  private func mayFail(_ expression: QueryExpression) -> Bool {
    mayTrap(expression) || mayBeNil(expression)
  }

  private func variableMayTrap(_ variable: Int) -> Bool {
    // Traps of a bound expression are counted where it is bound.
    switch scope[variable] {
    case .object(let object): !object.demands.isEmpty
    case .expression, .local, nil: false
    }
  }

  private func rangeMayTrap(_ lower: QueryExpression, _ upper: QueryExpression) -> Bool {
    guard case .constant(let first) = lower, case .constant(let last) = upper else { return true }
    return !QueryExpression.Comparison.lessOrEqual.holds(first, last)
  }

  package func mayBeNil(_ expression: QueryExpression) -> Bool {
    switch expression {
    case .constant(let value): value.isNull
    case .element(let variable):
      switch scope[variable] {
      case .object(let object): object.canBeNull
      case .expression: false
      case .local(.value), nil: true
      case .local: false
      }
    case .property(let base, let name): propertyMayBeNil(name, of: base)
    case .conditional(_, let first, let second): mayBeNil(first) || mayBeNil(second)
    case .coalesce(_, let second): mayBeNil(second)
    case .map(let operand, let variable, let body):
      mayBeNil(operand) || binding(variable, to: .expression(operand, self)).mayBeNil(body)
    case .aggregate(let aggregate, _): aggregate != .count && aggregate != .isEmpty
    case .subscripted, .cast: true
    default: false
    }
  }

  private func propertyMayBeNil(_ name: String, of base: QueryExpression) -> Bool {
    guard let property = property(name, of: base) else { return true }
    return mayBeNil(base) || property.canBeNull
  }
}

extension StoreProperty {
  /// Whether a stored row may have nil; so may a required reference whose target was deleted.
  package var canBeNull: Bool { isToOne || isOptional && !isToMany }
}

extension AttributeType {
  /// Whether arithmetic has a result for all values.
  fileprivate var isReal: Bool { self == .float || self == .double }
}
