import Foundation
import StoreProtocol

extension PredicateExpressions.OptionalFlatMap: LoweredNode {
  func lowered(by lowering: Lowering) throws -> QueryExpression {
    // Not `try?`, which does not distinguish nil from a failure.
    if wrapped is any CapturedValue,
      case .success(let value) = Swift.Result(catching: { try evaluate(PredicateBindings()) })
    {
      // A chain on a captured value: no part of it depends on the objects.
      return try Self.constant(value as Any)
    }
    let operand = try lowering.lower(wrapped)
    let number = lowering.bind(variable)
    let body = try lowering.lower(transform)
    // A property of nil is nil: a plain optional chain needs no variable.
    return body.path(from: number, replacedBy: operand)
      ?? .map(operand, variable: number, body: body)
  }
}

extension PredicateExpressions.NilCoalesce: LoweredNode {
  func lowered(by lowering: Lowering) throws -> QueryExpression {
    .coalesce(try lowering.lower(lhs), try lowering.lower(rhs))
  }
}

extension PredicateExpressions.ForcedUnwrap: LoweredNode {
  func lowered(by lowering: Lowering) throws -> QueryExpression {
    .unwrap(try lowering.lower(inner))
  }
}

extension QueryExpression {
  /// Returns this chain of properties with another root, or `nil` for any other expression.
  fileprivate func path(from variable: Int, replacedBy root: QueryExpression) -> QueryExpression? {
    switch self {
    case .element(variable): root
    case .property(let base, let name):
      base.path(from: variable, replacedBy: root).map { .property($0, name) }
    default: nil
    }
  }
}
