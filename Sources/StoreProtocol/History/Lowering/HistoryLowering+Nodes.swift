import Foundation

extension PredicateExpressions.KeyPath: HistoryPathNode {
  func path(of variable: PredicateExpressions.VariableID) -> AnyKeyPath? {
    if let root = root as? PredicateExpressions.Variable<Root.Output> {
      return root.key == variable ? keyPath : nil
    }
    return (root as? any HistoryPathNode)?.path(of: variable)?.appending(path: keyPath)
  }
}

extension PredicateExpressions.Conjunction: HistoryNode {
  func part(by lowering: HistoryLowering) -> HistoryLowering.Part {
    let parts = [lowering.lower(lhs), lowering.lower(rhs)]
    let filters = parts.compactMap(\.filter)
    return HistoryLowering.Part(
      filter: filters.isEmpty ? nil : .all(filters),
      isExact: parts.allSatisfy(\.isExact)
    )
  }
}

extension PredicateExpressions.Disjunction: HistoryNode {
  func part(by lowering: HistoryLowering) -> HistoryLowering.Part {
    let parts = [lowering.lower(lhs), lowering.lower(rhs)]
    let filters = parts.compactMap(\.filter)
    guard filters.count == parts.count else { return .unknown }
    return HistoryLowering.Part(filter: .any(filters), isExact: parts.allSatisfy(\.isExact))
  }
}

extension PredicateExpressions.Negation: HistoryNode {
  func part(by lowering: HistoryLowering) -> HistoryLowering.Part {
    let part = lowering.lower(wrapped)
    guard part.isExact, let filter = part.filter else { return .unknown }
    return HistoryLowering.Part(filter: .not(filter), isExact: true)
  }
}

extension PredicateExpressions.Equal: HistoryNode {
  func part(by lowering: HistoryLowering) -> HistoryLowering.Part {
    lowering.comparison(lhs, .equal, rhs)
  }
}

extension PredicateExpressions.NotEqual: HistoryNode {
  func part(by lowering: HistoryLowering) -> HistoryLowering.Part {
    lowering.comparison(lhs, .notEqual, rhs)
  }
}

extension PredicateExpressions.Comparison: HistoryNode {
  func part(by lowering: HistoryLowering) -> HistoryLowering.Part {
    switch op {
    case .lessThan: lowering.comparison(lhs, .less, rhs)
    case .lessThanOrEqual: lowering.comparison(lhs, .lessOrEqual, rhs)
    case .greaterThan: lowering.comparison(lhs, .greater, rhs)
    case .greaterThanOrEqual: lowering.comparison(lhs, .greaterOrEqual, rhs)
    @unknown default: .unknown
    }
  }
}

extension PredicateExpressions.SequenceContains: HistoryNode {
  func part(by lowering: HistoryLowering) -> HistoryLowering.Part {
    lowering.membership(of: element, in: sequence)
  }
}

extension PredicateExpressions.SequenceContainsWhere: HistoryNode {
  func part(by lowering: HistoryLowering) -> HistoryLowering.Part {
    guard case .changes? = lowering.column(sequence) else { return .unknown }
    let found = ChangeTest(variable.key).lower(test)
    guard let entities = found.entities else { return .unknown }
    return HistoryLowering.Part(filter: .changes(entities: entities), isExact: found.isExact)
  }
}
