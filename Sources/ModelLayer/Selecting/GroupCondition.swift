import StoreProtocol

/// What must hold for a group: a comparison of an aggregate with a value, or several of them.
///
/// Write it as in Swift: `.count > 100 && .maximum(\.delay) >= 60`. A comparison with an absent
/// value does not hold.
public struct GroupCondition<T: PersistentModel>: @unchecked Sendable {
  // Unchecked: what an aggregate is made of is Sendable but not marked so.

  indirect enum Node {
    case compare(
      QueryExpression.Comparison,
      (Schema) throws -> StoreSelection.Column,
      StoreValue?
    )
    case and(Node, Node)
    case or(Node, Node)
    case not(Node)
  }

  let node: Node

  private init(_ node: Node) { self.node = node }

  fileprivate init<V>(
    _ comparison: QueryExpression.Comparison,
    _ aggregate: Aggregate<T, V>,
    _ value: Any
  ) {
    node = .compare(comparison, aggregate.column, StoreValue(captured: value))
  }

  /// Whether both hold.
  public static func && (first: Self, second: Self) -> Self { Self(.and(first.node, second.node)) }

  /// Whether one of both holds.
  public static func || (first: Self, second: Self) -> Self { Self(.or(first.node, second.node)) }

  /// Whether a condition does not hold.
  public static prefix func ! (condition: Self) -> Self { Self(.not(condition.node)) }
}

extension Aggregate {
  /// Whether the aggregate equals a value.
  public static func == (aggregate: Self, value: Value) -> GroupCondition<T>
  where Value: Equatable {
    GroupCondition(.equal, aggregate, value)
  }

  /// Whether the aggregate differs from a value.
  public static func != (aggregate: Self, value: Value) -> GroupCondition<T>
  where Value: Equatable {
    GroupCondition(.notEqual, aggregate, value)
  }

  /// Whether the aggregate is less than a value.
  public static func < (aggregate: Self, value: Value) -> GroupCondition<T>
  where Value: Comparable {
    GroupCondition(.less, aggregate, value)
  }

  /// Whether the aggregate is there and less than a value.
  public static func < <V: Comparable>(aggregate: Self, value: V) -> GroupCondition<T>
  where Value == V? {
    GroupCondition(.less, aggregate, value)
  }

  /// Whether the aggregate is at most a value.
  public static func <= (aggregate: Self, value: Value) -> GroupCondition<T>
  where Value: Comparable {
    GroupCondition(.lessOrEqual, aggregate, value)
  }

  /// Whether the aggregate is there and at most a value.
  public static func <= <V: Comparable>(aggregate: Self, value: V) -> GroupCondition<T>
  where Value == V? {
    GroupCondition(.lessOrEqual, aggregate, value)
  }

  /// Whether the aggregate is greater than a value.
  public static func > (aggregate: Self, value: Value) -> GroupCondition<T>
  where Value: Comparable {
    GroupCondition(.greater, aggregate, value)
  }

  /// Whether the aggregate is there and greater than a value.
  public static func > <V: Comparable>(aggregate: Self, value: V) -> GroupCondition<T>
  where Value == V? {
    GroupCondition(.greater, aggregate, value)
  }

  /// Whether the aggregate is at least a value.
  public static func >= (aggregate: Self, value: Value) -> GroupCondition<T>
  where Value: Comparable {
    GroupCondition(.greaterOrEqual, aggregate, value)
  }

  /// Whether the aggregate is there and at least a value.
  public static func >= <V: Comparable>(aggregate: Self, value: V) -> GroupCondition<T>
  where Value == V? {
    GroupCondition(.greaterOrEqual, aggregate, value)
  }
}
