import Foundation
import StoreProtocol

extension PredicateExpressions.KeyPath: LoweredNode {
  func lowered(by lowering: Lowering) throws -> QueryExpression {
    let base: QueryExpression
    do {
      base = try lowering.lower(root)
      if case .constant = base, let constant = try capturedConstant { return constant }
    } catch {
      // A captured range or interval has no stored form, but its bounds do.
      guard let constant = try capturedConstant else { throw error }
      return constant
    }
    guard let result = KeyPathSteps.of(keyPath)?.applied(to: base) else {
      let isModel = Root.Output.self is any PersistentModel.Type
      throw SwiftDataError.unsupportedPredicate.with(
        "KeyPath is not supported here: \((keyPath as AnyKeyPath).unstoredReason); in generic code, "
          + "replace the property of a protocol with a key path that the model provides, as in "
          + "T.where(T.key, …)",
        entity: isModel ? String(describing: Root.Output.self) : nil
      )
    }
    return result
  }
}

extension PredicateExpression {
  /// The value of a captured expression, or `nil` if the expression depends on the objects.
  ///
  /// - Throws: `SwiftDataError.unsupportedPredicate` for a value without a stored form.
  var capturedConstant: QueryExpression? {
    get throws { try (self as? any CapturedValue).map { try Self.constant($0.captured) } }
  }

  /// Returns a captured value as a constant.
  static func constant(_ captured: Any) throws -> QueryExpression {
    guard let stored = StoreValue(captured: captured) else {
      throw Lowering.unsupported(Self.self, "a captured \(Output.self) cannot be stored")
    }
    return .constant(stored)
  }
}

extension QueryExpression {
  /// Creates an expression for the value at a key path of a model.
  ///
  /// - Throws: `SwiftDataError.unsupportedKeyPath` if stores do not support the key path.
  package init<T: PersistentModel>(keyPath: AnyKeyPath, of model: T.Type) throws {
    guard let value = KeyPathSteps.of(keyPath)?.applied(to: .element(0)) else {
      throw SwiftDataError.unsupportedKeyPath.with(
        keyPath.unstoredReason,
        entity: ModelLayout.of(T.self).entityName
      )
    }
    self = value
  }
}
