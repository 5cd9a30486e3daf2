import Foundation
import QueryEvaluation
import StoreProtocol

extension PredicateExpressions.Equal: LoweredNode {
  func lowered(by lowering: Lowering) throws -> QueryExpression {
    .compare(.equal, try lowering.lower(lhs), try lowering.lower(rhs))
  }
}

extension PredicateExpressions.NotEqual: LoweredNode {
  func lowered(by lowering: Lowering) throws -> QueryExpression {
    .compare(.notEqual, try lowering.lower(lhs), try lowering.lower(rhs))
  }
}

extension PredicateExpressions.Comparison: LoweredNode {
  static func checkOrder() throws { try StoredOrder.check(LHS.Output.self, for: Self.self) }

  func lowered(by lowering: Lowering) throws -> QueryExpression {
    let comparison: QueryExpression.Comparison =
      switch op {
      case .lessThan: .less
      case .lessThanOrEqual: .lessOrEqual
      case .greaterThan: .greater
      case .greaterThanOrEqual: .greaterOrEqual
      @unknown default: throw Lowering.unsupported(Self.self, "the operator is unknown")
      }
    return .compare(comparison, try lowering.lower(lhs), try lowering.lower(rhs))
  }
}

/// A check whether stored forms have the same order as their types.
enum StoredOrder {
  /// Throws for a type whose `<` differs from that of its stored form.
  static func check(_ type: Any.Type, for node: Any.Type) throws {
    guard holds(for: type) else {
      throw Lowering.unsupported(node, "\(type) and its stored values have different orders")
    }
  }

  /// Returns whether `<` on a type is `<` on its stored form.
  ///
  /// An enumeration with raw values is ordered by them. If its cases can be listed, its own order
  /// must agree.
  static func holds(for type: Any.Type) -> Bool {
    if let scalar = type as? any StoreScalar.Type { return scalar.attributeType != .codable }
    if type == PersistentIdentifier.self { return true }
    if let optional = type as? any OptionalType.Type { return holds(for: optional.wrapped) }
    guard AttributeType(type) != .codable else { return false }
    guard let listed = type as? any (CaseIterable & Comparable & RawRepresentable).Type else {
      return true
    }
    return agrees(listed)
  }

  private static func agrees<T: CaseIterable & Comparable & RawRepresentable>(
    _ type: T.Type
  ) -> Bool {
    let cases = T.allCases.prefix(64).map { ($0, StoreValue(any: $0.rawValue) ?? .null) }
    return cases.allSatisfy { first in
      cases.allSatisfy { second in
        (first.0 < second.0) == QueryExpression.Comparison.less.holds(first.1, second.1)
      }
    }
  }
}
