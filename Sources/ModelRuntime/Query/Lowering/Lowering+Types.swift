import Foundation
import StoreProtocol

extension PredicateExpressions.TypeCheck: LoweredNode {
  func lowered(by lowering: Lowering) throws -> QueryExpression {
    guard let model = Desired.self as? any PersistentModel.Type else {
      throw Lowering.unsupported(Self.self, "only objects can be tested for their type")
    }
    let name = ModelLayout.of(model).entityName
    // No stored object is of a type that the schema lacks.
    guard lowering.schema.storeSchema.entity(named: name) != nil else {
      return .constant(.bool(false))
    }
    return .isKind(try lowering.lower(input), entity: name)
  }
}

extension PredicateExpressions.ConditionalCast: LoweredNode {
  func lowered(by lowering: Lowering) throws -> QueryExpression {
    try lowering.cast(input, to: Desired.self, for: Self.self)
  }
}

extension PredicateExpressions.ForceCast: LoweredNode {
  func lowered(by lowering: Lowering) throws -> QueryExpression {
    let cast = try lowering.cast(input, to: Desired.self, for: Self.self)
    return Desired.self is any OptionalType.Type ? cast : .unwrap(cast)
  }
}

extension Lowering {
  fileprivate func cast<Input: PredicateExpression>(
    _ input: Input,
    to desired: Any.Type,
    for node: Any.Type
  ) throws -> QueryExpression {
    let operand = try lower(input)
    let wanted = Self.unwrapped(desired)
    if wanted == Self.unwrapped(Input.Output.self) { return operand }
    guard let model = wanted as? any PersistentModel.Type,
      Self.unwrapped(Input.Output.self) is any PersistentModel.Type
    else {
      throw Self.unsupported(node, "only objects can be cast to another type")
    }
    let name = ModelLayout.of(model).entityName
    guard schema.storeSchema.entity(named: name) != nil else { return .constant(.null) }
    return .cast(operand, entity: name)
  }

  private static func unwrapped(_ type: Any.Type) -> Any.Type {
    (type as? any OptionalType.Type).map { unwrapped($0.wrapped) } ?? type
  }
}
