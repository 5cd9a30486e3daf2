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

extension QueryExpression {
  /// The value that a key path of a model leads to.
  ///
  /// - Throws: `SwiftDataError.unsupportedKeyPath` where it leads to what no store knows.
  package init<T: PersistentModel>(keyPath: AnyKeyPath, of model: T.Type) throws {
    guard let value = KeyPathSteps.of(keyPath)?.applied(to: .element(0)) else {
      throw SwiftDataError.unsupportedKeyPath.with(
        "a key path to a \(type(of: keyPath).valueType) is neither a persisted property nor a "
          + "member of one",
        entity: ModelLayout.of(T.self).entityName
      )
    }
    self = value
  }
}
