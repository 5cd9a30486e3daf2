import StoreProtocol

/// An order of groups, by an aggregate or by a key.
public struct GroupOrder<T: PersistentModel>: @unchecked Sendable {
  // Unchecked: key paths are values that capture nothing but are not marked so.

  enum Term {
    case aggregate((Schema) throws -> StoreSelection.Column)
    case key(AnyKeyPath)
  }

  let term: Term
  let isReversed: Bool

  /// Orders groups by an aggregate, from small to large; absent values come first.
  public static func ascending<V>(_ aggregate: Aggregate<T, V>) -> Self {
    Self(term: .aggregate(aggregate.column), isReversed: false)
  }

  /// Orders groups by an aggregate, from large to small; absent values come last.
  public static func descending<V>(_ aggregate: Aggregate<T, V>) -> Self {
    Self(term: .aggregate(aggregate.column), isReversed: true)
  }

  /// Orders groups by one of the key paths that they are grouped by.
  public static func ascending<V>(_ keyPath: KeyPath<T, V>) -> Self {
    Self(term: .key(keyPath), isReversed: false)
  }

  /// Orders groups by one of the key paths that they are grouped by, backwards.
  public static func descending<V>(_ keyPath: KeyPath<T, V>) -> Self {
    Self(term: .key(keyPath), isReversed: true)
  }
}
