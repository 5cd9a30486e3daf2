import StoreProtocol

/// An order of groups, by an aggregate or by a key.
public struct GroupOrder<T: PersistentModel>: @unchecked Sendable {
  // Unchecked: key paths are values that capture nothing but are not declared Sendable.

  enum Term {
    case aggregate((Schema) throws -> StoreSelection.Column)
    case key(AnyKeyPath)
  }

  let term: Term
  let isReversed: Bool

  /// Orders groups by an aggregate in ascending order; absent values come first.
  public static func ascending<V>(_ aggregate: Aggregate<T, V>) -> Self {
    Self(term: .aggregate(aggregate.column), isReversed: false)
  }

  /// Orders groups by an aggregate in descending order; absent values come last.
  public static func descending<V>(_ aggregate: Aggregate<T, V>) -> Self {
    Self(term: .aggregate(aggregate.column), isReversed: true)
  }

  /// Orders groups by one of the key paths of the grouping in ascending order.
  public static func ascending<V>(_ keyPath: KeyPath<T, V>) -> Self {
    Self(term: .key(keyPath), isReversed: false)
  }

  /// Orders groups by one of the key paths of the grouping in descending order.
  public static func descending<V>(_ keyPath: KeyPath<T, V>) -> Self {
    Self(term: .key(keyPath), isReversed: true)
  }
}
