import StoreProtocol

/// An order of groups, by an aggregate or by a key.
// Unchecked: key paths are values that capture nothing but are not declared Sendable.
public struct GroupOrder<T: PersistentModel>: @unchecked Sendable {
  /// Returns the value by which groups are ordered, over columns that it adds to a selection.
  let value: (inout SelectionBuilder<T>) throws -> QueryExpression
  let isReversed: Bool

  /// Orders groups by an aggregate in ascending order; absent values come first.
  public static func ascending<V>(_ aggregate: Aggregate<T, V>) -> Self {
    Self(value: { try $0.column(of: aggregate) }, isReversed: false)
  }

  /// Orders groups by an aggregate in descending order; absent values come last.
  public static func descending<V>(_ aggregate: Aggregate<T, V>) -> Self {
    Self(value: { try $0.column(of: aggregate) }, isReversed: true)
  }

  /// Orders groups by one of the key paths of the grouping in ascending order.
  public static func ascending<V>(_ keyPath: KeyPath<T, V>) -> Self {
    Self(value: { try $0.column(ofKey: keyPath) }, isReversed: false)
  }

  /// Orders groups by one of the key paths of the grouping in descending order.
  public static func descending<V>(_ keyPath: KeyPath<T, V>) -> Self {
    Self(value: { try $0.column(ofKey: keyPath) }, isReversed: true)
  }
}
