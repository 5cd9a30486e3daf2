import Foundation
import StoreProtocol

/// Something computed from all objects of a fetch, or from those of one group.
///
/// Absent values are passed over by all of them. Stores that can compute themselves, as SQLiteStore
/// does, make no objects and read no more than they need.
public struct Aggregate<T: PersistentModel, Value>: @unchecked Sendable {
  // Unchecked: key paths are values that capture nothing but are not marked so; predicates and
  // expressions are Sendable.

  /// Says what is computed, in the words of stores.
  let column: (Schema) throws -> StoreSelection.Column

  private init(_ column: @escaping (Schema) throws -> StoreSelection.Column) {
    self.column = column
  }

  private init(_ function: StoreSelection.Function, _ keyPath: AnyKeyPath) {
    self.init { schema in
      let value = try QueryExpression(keyPath: keyPath, of: T.self)
      let type = AttributeType(Swift.type(of: keyPath).valueType)
      return .aggregate(function, value, type)
    }
  }

  private init<V>(_ function: StoreSelection.Function, _ expression: Expression<T, V>) {
    self.init { schema in
      let value = try QueryExpression(lowering: expression, schema: schema)
      return .aggregate(function, value, AttributeType(V.self))
    }
  }
}

extension Aggregate where Value == Int {
  /// The number of objects.
  public static var count: Self { Self { _ in .count } }

  /// The number of objects that satisfy a predicate.
  public static func count(where predicate: Predicate<T>) -> Self {
    Self { schema in
      let condition = try QueryExpression(lowering: predicate, schema: schema)
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

  /// The sum of whole numbers, 0 without any.
  ///
  /// The fetch throws ``DataStoreError/invalidValue`` where an `Int` does not hold it.
  public static func sum<V: FixedWidthInteger>(_ keyPath: KeyPath<T, V>) -> Self {
    Self(.sum, keyPath)
  }

  /// The sum of the whole numbers that are there, 0 without any.
  public static func sum<V: FixedWidthInteger>(_ keyPath: KeyPath<T, V?>) -> Self {
    Self(.sum, keyPath)
  }

  /// The sum of computed whole numbers.
  public static func sum<V: FixedWidthInteger>(_ expression: Expression<T, V>) -> Self {
    Self(.sum, expression)
  }
}

extension Aggregate {
  /// The sum of real numbers, exact until it is rounded once, 0 without any.
  public static func sum(_ keyPath: KeyPath<T, Value>) -> Self where Value: BinaryFloatingPoint {
    Self(.sum, keyPath)
  }

  /// The sum of the real numbers that are there, 0 without any.
  public static func sum(_ keyPath: KeyPath<T, Value?>) -> Self where Value: BinaryFloatingPoint {
    Self(.sum, keyPath)
  }

  /// The sum of computed real numbers.
  public static func sum(_ expression: Expression<T, Value>) -> Self
  where Value: BinaryFloatingPoint {
    Self(.sum, expression)
  }

  /// The sum of decimal numbers, 0 without any.
  public static func sum(_ keyPath: KeyPath<T, Decimal>) -> Self where Value == Decimal {
    Self(.sum, keyPath)
  }

  /// The sum of the decimal numbers that are there, 0 without any.
  public static func sum(_ keyPath: KeyPath<T, Decimal?>) -> Self where Value == Decimal {
    Self(.sum, keyPath)
  }

  /// The smallest value, nil without any.
  public static func minimum<V: Comparable>(_ keyPath: KeyPath<T, V>) -> Self where Value == V? {
    Self(.minimum, keyPath)
  }

  /// The smallest of the values that are there, nil without any.
  public static func minimum<V: Comparable>(_ keyPath: KeyPath<T, V?>) -> Self where Value == V? {
    Self(.minimum, keyPath)
  }

  /// The largest value, nil without any; NaN is larger than all numbers, as in a sort.
  public static func maximum<V: Comparable>(_ keyPath: KeyPath<T, V>) -> Self where Value == V? {
    Self(.maximum, keyPath)
  }

  /// The largest of the values that are there, nil without any.
  public static func maximum<V: Comparable>(_ keyPath: KeyPath<T, V?>) -> Self where Value == V? {
    Self(.maximum, keyPath)
  }
}

extension Aggregate where Value == Double? {
  /// The mean of numbers, nil without any.
  public static func average<V: Numeric>(_ keyPath: KeyPath<T, V>) -> Self {
    Self(.average, keyPath)
  }

  /// The mean of the numbers that are there, nil without any.
  public static func average<V: Numeric>(_ keyPath: KeyPath<T, V?>) -> Self {
    Self(.average, keyPath)
  }

  /// The mean of computed numbers, nil without any.
  public static func average<V: Numeric>(_ expression: Expression<T, V>) -> Self {
    Self(.average, expression)
  }
}

extension Aggregate where Value == Decimal? {
  /// The mean of decimal numbers, nil without any.
  public static func average(_ keyPath: KeyPath<T, Decimal>) -> Self { Self(.average, keyPath) }

  /// The mean of the decimal numbers that are there, nil without any.
  public static func average(_ keyPath: KeyPath<T, Decimal?>) -> Self { Self(.average, keyPath) }
}
