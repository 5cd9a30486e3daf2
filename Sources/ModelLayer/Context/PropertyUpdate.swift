import Foundation
import ModelRuntime
import QueryEvaluation
import StoreProtocol

/// A new value for a property of many objects, constant or computed from each of them.
// Unchecked: key paths are values that capture nothing but are not declared Sendable; expressions
// and values are Sendable.
public struct PropertyUpdate<T: PersistentModel>: @unchecked Sendable {
  /// Returns the update in the form for stores, or `nil` if it has none.
  let assignment: (QueryScope) -> StoreAssignment?
  /// Returns a function that computes the new value of an object, and returns a function that sets
  /// it.
  let prepare: (LiveEvaluation, QueryScope) throws -> (T) throws -> () -> Void
  /// Sets the new value of an object, which was computed before; a constant is known anyway.
  let assign: (T, StoreValue) throws -> Void

  /// Sets a property to a value.
  public static func set<Value: Sendable>(
    _ keyPath: ReferenceWritableKeyPath<T, Value>,
    to value: Value
  ) -> Self {
    Self { _ in
      guard let property = name(of: keyPath), isPlain(Value.self),
        let stored = StoreValue(captured: value)
      else { return nil }
      return StoreAssignment(property, .constant(stored))
    } prepare: { _, _ in
      { model in { model[keyPath: keyPath] = value } }
    } assign: { model, _ in
      model[keyPath: keyPath] = value
    }
  }

  /// Sets a property to the result of an expression for the object before the update.
  public static func set<Value>(
    _ keyPath: ReferenceWritableKeyPath<T, Value>,
    to expression: Expression<T, Value>
  ) -> Self {
    Self { scope in
      guard let property = name(of: keyPath),
        let lowered = try? QueryExpression(lowering: expression, in: scope)
      else { return nil }
      return StoreAssignment(property, lowered)
    } prepare: { live, scope in
      let lowered = try QueryExpression(lowering: expression, in: scope)
      return { model in
        let stored =
          try live.row(of: model).map { try live.evaluator.value(lowered, for: $0) } ?? .null
        let value: Value = try value(stored, for: model)
        return { model[keyPath: keyPath] = value }
      }
    } assign: { model, stored in
      model[keyPath: keyPath] = try value(stored, for: model)
    }
  }

  private static func value<Value>(_ stored: StoreValue, for model: T) throws -> Value {
    if let value = ColumnReader<Value>().value(of: stored) { return value }
    throw DataStoreError(
      .invalidValue,
      "the new value of \(model.persistentModelID) cannot be computed: a number overflows, or an "
        + "object on a key path is nil; nothing was changed",
      entity: Schema.entityName(for: T.self)
    )
  }

  private static func name(of keyPath: PartialKeyPath<T>) -> String? {
    guard
      case .property(.element(0), let name)? = try? QuerySort(keyPath: keyPath, of: T.self).value
    else { return nil }
    return name
  }

  /// Whether values of a type are stored unchanged, so that they need not be encoded.
  private static func isPlain(_ type: Any.Type) -> Bool {
    let type = (type as? any OptionalType.Type)?.wrapped ?? type
    return type is any StoreScalar.Type
  }
}
