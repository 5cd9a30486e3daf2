import Foundation
import StoreProtocol

extension PredicateExpressions.Conjunction: LoweredNode {
  func lowered(by lowering: Lowering) throws -> QueryExpression {
    let (first, second) = (try lowering.lower(lhs), try lowering.lower(rhs))
    return .and(first.operands(of: .all) + second.operands(of: .all))
  }
}

extension PredicateExpressions.Disjunction: LoweredNode {
  func lowered(by lowering: Lowering) throws -> QueryExpression {
    let (first, second) = (try lowering.lower(lhs), try lowering.lower(rhs))
    return .or(first.operands(of: .any) + second.operands(of: .any))
  }
}

extension PredicateExpressions.Negation: LoweredNode {
  func lowered(by lowering: Lowering) throws -> QueryExpression {
    .not(try lowering.lower(wrapped))
  }
}

extension PredicateExpressions.Conditional: LoweredNode {
  func lowered(by lowering: Lowering) throws -> QueryExpression {
    .conditional(
      try lowering.lower(test),
      then: try lowering.lower(trueBranch),
      else: try lowering.lower(falseBranch)
    )
  }
}

extension PredicateExpressions.ExpressionEvaluate: LoweredNode {
  func lowered(by lowering: Lowering) throws -> QueryExpression {
    let constant = expression as? any CapturedValue
    typealias Inner = Foundation.Expression<repeat (each Input).Output, Output>
    guard let inner = constant?.captured as? Inner else {
      throw Lowering.unsupported(Self.self, "the expression must be captured")
    }
    repeat lowering.bind(each inner.variable, to: try lowering.lower(each input))
    return try lowering.lower(inner.expression)
  }
}
