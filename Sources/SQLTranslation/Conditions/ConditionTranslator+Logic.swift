import StoreProtocol

/// And, or, the conditional operator, and Booleans.
extension ConditionTranslator {
  /// The maximum number of parts if all but the last may trap.
  private static let maximumTrappingParts = 8

  /// Combines conditions that are evaluated in order until one does not pass.
  ///
  /// `and` passes those that hold, `or` those that fail.
  package func junction(
    _ expression: QueryExpression,
    _ parts: [QueryExpression],
    passing: Side,
    _ side: Side
  ) throws -> SQLFragment? {
    guard parts.count <= Self.maximumParts else { return nil }
    // The order matters only if a part before the last may trap.
    guard side != passing, parts.dropLast().contains(where: conditionMayTrap) else {
      guard let translated = try parts.mapUnlessNil({ try condition($0, side) }) else { return nil }
      let isConjunction = (passing == .holds) == (side == .holds)
      return isConjunction ? .all(translated) : .any(translated)
    }
    if let judged = try judged(expression, side) { return judged }
    return try deciding(parts, passing: passing)
  }

  /// Returns the condition that a part does not pass while all before it pass, without a trap.
  private func deciding(_ parts: [QueryExpression], passing: Side) throws -> SQLFragment? {
    guard parts.count <= Self.maximumTrappingParts else { return nil }
    var passed: [SQLFragment] = []
    var ways: [SQLFragment] = []
    for part in parts {
      guard let passes = try condition(part, passing),
        let decides = try condition(part, passing.opposite)
      else { return nil }
      ways.append(.all(passed + [decides]))
      passed.append(passes)
    }
    return .any(ways)
  }

  /// Chooses between two conditions by a third.
  package func branched(
    _ test: QueryExpression,
    _ first: QueryExpression,
    _ second: QueryExpression,
    _ side: Side
  ) throws -> SQLFragment? {
    guard let holds = try condition(test, .holds), let fails = try condition(test, .fails),
      let first = try condition(first, side), let second = try condition(second, side)
    else { return nil }
    return .any([.all([holds, first]), .all([fails, second])])
  }

  /// Uses a Boolean as a condition; nil neither holds nor fails.
  package func boolean(of expression: QueryExpression, _ side: Side) throws -> SQLFragment? {
    guard let term = try term(expression), case .value(.bool) = term.content else { return nil }
    let wanted = side == .holds ? "1" : "0"
    return .all(term.demands + term.guards + ["\(term.text) = \(wanted)"])
  }
}

extension Sequence {
  /// Returns the results for all elements, or `nil` if one of them is `nil`.
  package func mapUnlessNil<Result>(_ transform: (Element) throws -> Result?) rethrows -> [Result]?
  {
    var results: [Result] = []
    for element in self {
      guard let result = try transform(element) else { return nil }
      results.append(result)
    }
    return results
  }
}
