import Foundation

extension PredicateExpressions.KeyPath: LoweredNode {
  func lowered(by lowering: Lowering) throws -> QueryExpression {
    let base = try lowering.lower(root)
    guard let result = KeyPathSteps.of(keyPath)?.applied(to: base) else {
      let name = String(describing: Root.Output.self)
      throw SwiftDataError.unsupportedPredicate.with(
        "KeyPath is not supported here: a key path from \(name) to \(Output.self) is neither a "
          + "persisted property nor a member of one",
        entity: Root.Output.self is any PersistentModel.Type ? name : nil
      )
    }
    return result
  }
}
