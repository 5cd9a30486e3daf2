import Foundation
import ModelRuntime
import StoreProtocol

/// A value computed from all objects of a fetch, or from those of one group.
///
/// All aggregates ignore absent values. Stores that can compute them, such as SQLiteStore, create
/// no objects and read no more than they need.
// Unchecked: key paths are values that capture nothing but are not declared Sendable; predicates
// and expressions are Sendable.
public struct Aggregate<T: PersistentModel, Value>: @unchecked Sendable {
  /// Returns the column of a store's selection.
  let column: (QueryScope) throws -> StoreSelection.Column

  private init(_ column: @escaping (QueryScope) throws -> StoreSelection.Column) {
    self.column = column
  }

  private init(_ function: StoreSelection.Function, _ keyPath: AnyKeyPath) {
    self.init { _ in
      let value = try QueryExpression(keyPath: keyPath, of: T.self)
      let type = AttributeType(Swift.type(of: keyPath).valueType)
      return .aggregate(function, value, type)
    }
  }

  private init<V>(_ function: StoreSelection.Function, _ expression: Expression<T, V>) {
    self.init { scope in
      let value = try QueryExpression(lowering: expression, in: scope)
      return .aggregate(function, value, AttributeType(V.self))
    }
  }
}

extension Aggregate where Value == Int {
  /// The number of objects.
  public static var count: Self { Self { _ in .count } }

  /// The number of objects that satisfy a predicate.
  public static func count(where predicate: Predicate<T>) -> Self {
    Self { scope in
      let condition = try QueryExpression(lowering: predicate, in: scope)
      let one = QueryExpression.constant(.integer(1))
      let value = QueryExpression.conditional(condition, then: one, else: .constant(.null))
      return .aggregate(.count, value, .int64)
    }
  }

  /// The number of objects that have a value.
  public static func count<V>(of keyPath: KeyPath<T, V?>) -> Self { Self(.count, keyPath) }

  /// The number of different values.
  public static func distinctCount<V>(of keyPath: KeyPath<T, V>) -> Self {
    Self(.distinctCount, keyPath)
  }

  /// The sum of integers, or 0 if there are none.
  ///
  /// The fetch throws ``DataStoreError/invalidValue`` if an `Int` cannot hold it.
  public static func sum<V: FixedWidthInteger>(_ keyPath: KeyPath<T, V>) -> Self {
    Self(.sum, keyPath)
  }

  /// The sum of the integers that are present, or 0 if there are none.
  public static func sum<V: FixedWidthInteger>(_ keyPath: KeyPath<T, V?>) -> Self {
    Self(.sum, keyPath)
  }

  /// The sum of computed integers.
  public static func sum<V: FixedWidthInteger>(_ expression: Expression<T, V>) -> Self {
    Self(.sum, expression)
  }
}

extension Aggregate {
  /// The sum of floating-point numbers, exact until it is rounded once, or 0 if there are none.
  public static func sum(_ keyPath: KeyPath<T, Value>) -> Self where Value: BinaryFloatingPoint {
    Self(.sum, keyPath)
  }

  /// The sum of the floating-point numbers that are present, or 0 if there are none.
  public static func sum(_ keyPath: KeyPath<T, Value?>) -> Self where Value: BinaryFloatingPoint {
    Self(.sum, keyPath)
  }

  /// The sum of computed floating-point numbers.
  public static func sum(_ expression: Expression<T, Value>) -> Self
  where Value: BinaryFloatingPoint {
    Self(.sum, expression)
  }

  /// The sum of decimal numbers, or 0 if there are none.
  public static func sum(_ keyPath: KeyPath<T, Decimal>) -> Self where Value == Decimal {
    Self(.sum, keyPath)
  }

  /// The sum of the decimal numbers that are present, or 0 if there are none.
  public static func sum(_ keyPath: KeyPath<T, Decimal?>) -> Self where Value == Decimal {
    Self(.sum, keyPath)
  }

  /// The smallest value, or `nil` if there are none.
  public static func minimum<V: Comparable>(_ keyPath: KeyPath<T, V>) -> Self where Value == V? {
    Self(.minimum, keyPath)
  }

  /// The smallest of the values that are present, or `nil` if there are none.
  public static func minimum<V: Comparable>(_ keyPath: KeyPath<T, V?>) -> Self where Value == V? {
    Self(.minimum, keyPath)
  }

  /// The largest value, or `nil` if there are none.
  ///
  /// NaN is larger than all numbers, as in a sort.
  public static func maximum<V: Comparable>(_ keyPath: KeyPath<T, V>) -> Self where Value == V? {
    Self(.maximum, keyPath)
  }

  /// The largest of the values that are present, or `nil` if there are none.
  public static func maximum<V: Comparable>(_ keyPath: KeyPath<T, V?>) -> Self where Value == V? {
    Self(.maximum, keyPath)
  }
}

extension Aggregate where Value == Double? {
  /// The mean of numbers, or `nil` if there are none.
  public static func average<V: Numeric>(_ keyPath: KeyPath<T, V>) -> Self {
    Self(.average, keyPath)
  }

  /// The mean of the numbers that are present, or `nil` if there are none.
  public static func average<V: Numeric>(_ keyPath: KeyPath<T, V?>) -> Self {
    Self(.average, keyPath)
  }

  /// The mean of computed numbers, or `nil` if there are none.
  public static func average<V: Numeric>(_ expression: Expression<T, V>) -> Self {
    Self(.average, expression)
  }
}

extension Aggregate where Value == Decimal? {
  /// The mean of decimal numbers, or `nil` if there are none.
  public static func average(_ keyPath: KeyPath<T, Decimal>) -> Self { Self(.average, keyPath) }

  /// The mean of the decimal numbers that are present, or `nil` if there are none.
  public static func average(_ keyPath: KeyPath<T, Decimal?>) -> Self { Self(.average, keyPath) }
}
