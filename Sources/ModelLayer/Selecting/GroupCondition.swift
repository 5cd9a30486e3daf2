import ModelRuntime
import StoreProtocol

/// A condition on groups: a comparison of an aggregate with a value, or a combination of several.
///
/// Write it as in Swift: `.count > 100 && .maximum(\.delay) >= 60`. A comparison with an absent
/// value is false.
// Unchecked: the function captures stored values and aggregates, whose parts are Sendable but not
// declared so.
public struct GroupCondition<T: PersistentModel>: @unchecked Sendable {
  /// Returns the condition over columns that it adds to a selection.
  let expression: (inout SelectionBuilder<T>) throws -> QueryExpression

  private init(_ expression: @escaping (inout SelectionBuilder<T>) throws -> QueryExpression) {
    self.expression = expression
  }

  fileprivate init<V>(
    _ comparison: QueryExpression.Comparison,
    _ aggregate: Aggregate<T, V>,
    _ value: Any
  ) {
    let value = StoreValue(captured: value)
    expression = { builder in
      guard let value else {
        throw SwiftDataError.unsupportedPredicate.with(
          "a group is compared with a value that cannot be stored",
          entity: ModelLayout.of(T.self).entityName
        )
      }
      return .compare(comparison, try builder.column(of: aggregate), .constant(value))
    }
  }

  /// A condition that both conditions are true.
  public static func && (first: Self, second: Self) -> Self {
    Self { .and([try first.expression(&$0), try second.expression(&$0)]) }
  }

  /// A condition that at least one of two conditions is true.
  public static func || (first: Self, second: Self) -> Self {
    Self { .or([try first.expression(&$0), try second.expression(&$0)]) }
  }

  /// A condition that another condition is false.
  public static prefix func ! (condition: Self) -> Self {
    Self { .not(try condition.expression(&$0)) }
  }
}

extension Aggregate {
  /// A condition that the aggregate equals a value.
  public static func == (aggregate: Self, value: Value) -> GroupCondition<T>
  where Value: Equatable {
    GroupCondition(.equal, aggregate, value)
  }

  /// A condition that the aggregate differs from a value.
  public static func != (aggregate: Self, value: Value) -> GroupCondition<T>
  where Value: Equatable {
    GroupCondition(.notEqual, aggregate, value)
  }

  /// A condition that the aggregate is less than a value.
  public static func < (aggregate: Self, value: Value) -> GroupCondition<T>
  where Value: Comparable {
    GroupCondition(.less, aggregate, value)
  }

  /// A condition that the aggregate is present and less than a value.
  public static func < <V: Comparable>(aggregate: Self, value: V) -> GroupCondition<T>
  where Value == V? {
    GroupCondition(.less, aggregate, value)
  }

  /// A condition that the aggregate is at most a value.
  public static func <= (aggregate: Self, value: Value) -> GroupCondition<T>
  where Value: Comparable {
    GroupCondition(.lessOrEqual, aggregate, value)
  }

  /// A condition that the aggregate is present and at most a value.
  public static func <= <V: Comparable>(aggregate: Self, value: V) -> GroupCondition<T>
  where Value == V? {
    GroupCondition(.lessOrEqual, aggregate, value)
  }

  /// A condition that the aggregate is greater than a value.
  public static func > (aggregate: Self, value: Value) -> GroupCondition<T>
  where Value: Comparable {
    GroupCondition(.greater, aggregate, value)
  }

  /// A condition that the aggregate is present and greater than a value.
  public static func > <V: Comparable>(aggregate: Self, value: V) -> GroupCondition<T>
  where Value == V? {
    GroupCondition(.greater, aggregate, value)
  }

  /// A condition that the aggregate is at least a value.
  public static func >= (aggregate: Self, value: Value) -> GroupCondition<T>
  where Value: Comparable {
    GroupCondition(.greaterOrEqual, aggregate, value)
  }

  /// A condition that the aggregate is present and at least a value.
  public static func >= <V: Comparable>(aggregate: Self, value: V) -> GroupCondition<T>
  where Value == V? {
    GroupCondition(.greaterOrEqual, aggregate, value)
  }
}
