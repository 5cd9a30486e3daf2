import Foundation
import StoreProtocol

extension PredicateExpressions.Arithmetic: LoweredNode {
  func lowered(by lowering: Lowering) throws -> QueryExpression {
    let operation: QueryExpression.Arithmetic =
      switch op {
      case .add: .add
      case .subtract: .subtract
      case .multiply: .multiply
      @unknown default: throw Lowering.unsupported(Self.self, "the operator is unknown")
      }
    return try lowering.arithmetic(operation, lhs, rhs, for: Self.self)
  }
}

extension PredicateExpressions.IntDivision: LoweredNode {
  func lowered(by lowering: Lowering) throws -> QueryExpression {
    try lowering.arithmetic(.divide, lhs, rhs, for: Self.self)
  }
}

extension PredicateExpressions.FloatDivision: LoweredNode {
  func lowered(by lowering: Lowering) throws -> QueryExpression {
    try lowering.arithmetic(.divide, lhs, rhs, for: Self.self)
  }
}

extension PredicateExpressions.IntRemainder: LoweredNode {
  func lowered(by lowering: Lowering) throws -> QueryExpression {
    try lowering.arithmetic(.remainder, lhs, rhs, for: Self.self)
  }
}

extension PredicateExpressions.UnaryMinus: LoweredNode {
  func lowered(by lowering: Lowering) throws -> QueryExpression {
    .negate(
      try lowering.lower(wrapped),
      try lowering.numericType(Wrapped.Output.self, for: Self.self)
    )
  }
}

extension Lowering {
  fileprivate func arithmetic<L: PredicateExpression, R: PredicateExpression>(
    _ operation: QueryExpression.Arithmetic,
    _ lhs: L,
    _ rhs: R,
    for node: Any.Type
  ) throws -> QueryExpression {
    let type = try numericType(L.Output.self, for: node)
    return .arithmetic(operation, try lower(lhs), try lower(rhs), type)
  }

  fileprivate func numericType(_ type: Any.Type, for node: Any.Type) throws -> AttributeType {
    let attributeType = (type as? any StoreScalar.Type)?.attributeType
    switch attributeType {
    case let attributeType? where attributeType.isInteger: return attributeType
    case .float, .double, .decimal: return attributeType ?? .double
    default: throw Self.unsupported(node, "stores cannot compute with \(type)")
    }
  }
}
