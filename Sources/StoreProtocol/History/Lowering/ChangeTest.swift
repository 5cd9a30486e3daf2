import Foundation

/// Determines the entities to which a predicate on one change of a transaction is limited.
struct ChangeTest {
  /// The result of analyzing a node.
  struct Part {
    /// The entities outside of which the node never holds, or `nil` if they are unknown.
    var entities: Set<String>?
    /// Whether the node holds for every change of these entities.
    var isExact = false

    static let unknown = Part()
  }

  private let variable: PredicateExpressions.VariableID

  init(_ variable: PredicateExpressions.VariableID) {
    self.variable = variable
  }

  func lower<E: PredicateExpression>(_ node: E) -> Part {
    (node as? any ChangeTestNode)?.part(by: self) ?? .unknown
  }

  /// Returns the result for the equality of two nodes.
  func equality<L: PredicateExpression, R: PredicateExpression>(_ left: L, _ right: R) -> Part {
    if let path = path(left), let value = HistoryLowering.constant(right) {
      return part(path, value)
    }
    if let path = path(right), let value = HistoryLowering.constant(left) {
      return part(path, value)
    }
    return .unknown
  }

  /// Returns the result for the membership of a node's value in a list.
  func membership<S: PredicateExpression, E: PredicateExpression>(of element: E, in list: S) -> Part
  {
    guard let path = path(element), let values = HistoryLowering.constant(list) else {
      return .unknown
    }
    if path == Self.entityName, let names = values as? any Sequence<String> {
      return Part(entities: Set(names.map { $0 }), isExact: true)
    }
    if path == Self.identifier, let identifiers = values as? any Sequence<PersistentIdentifier> {
      return Part(entities: Set(identifiers.map(\.entityName)))
    }
    return .unknown
  }

  private static let identifier: AnyKeyPath & Sendable = \HistoryChange.changedPersistentIdentifier
  private static let entityName: AnyKeyPath & Sendable =
    \HistoryChange.changedPersistentIdentifier.entityName

  private func path<E: PredicateExpression>(_ node: E) -> AnyKeyPath? {
    (node as? any HistoryPathNode)?.path(of: variable)
  }

  private func part(_ path: AnyKeyPath, _ value: Any) -> Part {
    if path == Self.entityName, let name = value as? String {
      return Part(entities: [name], isExact: true)
    }
    if path == Self.identifier, let identifier = value as? PersistentIdentifier {
      return Part(entities: [identifier.entityName])
    }
    return .unknown
  }
}

/// A predicate node on a change that can be analyzed.
protocol ChangeTestNode {
  /// Returns the result of the analysis.
  func part(by test: ChangeTest) -> ChangeTest.Part
}

extension PredicateExpressions.Equal: ChangeTestNode {
  func part(by test: ChangeTest) -> ChangeTest.Part { test.equality(lhs, rhs) }
}

extension PredicateExpressions.SequenceContains: ChangeTestNode {
  func part(by test: ChangeTest) -> ChangeTest.Part { test.membership(of: element, in: sequence) }
}

extension PredicateExpressions.Conjunction: ChangeTestNode {
  func part(by test: ChangeTest) -> ChangeTest.Part {
    let parts = [test.lower(lhs), test.lower(rhs)]
    let entitySets = parts.compactMap(\.entities)
    guard let first = entitySets.first else { return .unknown }
    return ChangeTest.Part(
      entities: entitySets.dropFirst().reduce(first) { $0.intersection($1) },
      isExact: parts.allSatisfy(\.isExact)
    )
  }
}

extension PredicateExpressions.Disjunction: ChangeTestNode {
  func part(by test: ChangeTest) -> ChangeTest.Part {
    let parts = [test.lower(lhs), test.lower(rhs)]
    let entitySets = parts.compactMap(\.entities)
    guard entitySets.count == parts.count else { return .unknown }
    return ChangeTest.Part(
      entities: entitySets.reduce(into: []) { $0.formUnion($1) },
      isExact: parts.allSatisfy(\.isExact)
    )
  }
}
