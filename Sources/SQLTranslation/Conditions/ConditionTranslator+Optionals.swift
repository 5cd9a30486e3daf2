import StoreProtocol

/// Optional Booleans, as in `$0.trip?.isOver ?? false` and `$0.name?.isEmpty == true`.
///
/// The conditions inside remain conditions, so that SQLite can use its indexes.
extension ConditionTranslator {
  /// The three outcomes of an optional Boolean.
  private struct Outcomes {
    package var isTrue: SQLFragment
    package var isFalse: SQLFragment
    package var isNil: SQLFragment
  }

  /// Uses an optional Boolean as a condition: nil neither holds nor fails.
  package func optionalBoolean(_ expression: QueryExpression, _ side: Side) throws -> SQLFragment? {
    if let outcomes = try outcomes(expression) {
      return side == .holds ? outcomes.isTrue : outcomes.isFalse
    }
    return try boolean(of: expression, side)
  }

  /// Compares an optional Boolean with a constant: nil is not equal to it.
  package func comparedBoolean(
    _ expression: QueryExpression,
    with constant: Bool,
    _ side: Side
  ) throws -> SQLFragment? {
    guard let outcomes = try outcomes(expression) else { return nil }
    let (same, other) =
      constant ? (outcomes.isTrue, outcomes.isFalse) : (outcomes.isFalse, outcomes.isTrue)
    return side == .holds ? same : .any([other, outcomes.isNil])
  }

  private func outcomes(_ expression: QueryExpression) throws -> Outcomes? {
    switch expression {
    case .map(let operand, let variable, let body):
      guard body.isCondition, let there = try presence(of: operand) else { return nil }
      let inner = binding(variable, to: .expression(operand, self))
      guard let holds = try inner.condition(body, .holds),
        let fails = try inner.condition(body, .fails)
      else { return nil }
      return Outcomes(
        isTrue: .all([there.isThere, holds]),
        isFalse: .all([there.isThere, fails]),
        isNil: there.isNil
      )
    case .coalesce(let first, .constant(.bool(let constant))):
      guard var outcomes = try outcomes(first) else { return nil }
      if constant {
        outcomes.isTrue = .any([outcomes.isTrue, outcomes.isNil])
      } else {
        outcomes.isFalse = .any([outcomes.isFalse, outcomes.isNil])
      }
      outcomes.isNil = .never
      return outcomes
    default: return nil
    }
  }

  private func presence(
    of operand: QueryExpression
  ) throws -> (isThere: SQLFragment, isNil: SQLFragment)? {
    guard let term = try term(operand) else { return nil }
    return (
      .all(term.demands + [term.isThere]),
      .all(term.demands + [term.canBeNull ? "\(term.presence) IS NULL" : .never])
    )
  }
}

extension QueryExpression {
  /// Whether the value is a Boolean and never nil.
  package var isCondition: Bool {
    switch self {
    case .compare, .and, .or, .not, .contains, .isInRange, .quantified, .matches, .searches,
      .isKind, .aggregate(.isEmpty, _), .constant(.bool):
      true
    case .text(let test, _, _): test != .caseInsensitiveCompare && test != .localizedCompare
    default: false
    }
  }
}
