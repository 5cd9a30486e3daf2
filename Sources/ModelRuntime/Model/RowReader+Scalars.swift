import Foundation
import StoreProtocol

// The overloads that macro-generated code selects by the type of a property.

extension RowReader {
  /// Reads a string.
  public final func read(_ index: Int) throws -> String { try string(at: index) }

  /// Reads an integer.
  public final func read(_ index: Int) throws -> Int { try fixed(index) }

  /// Reads a floating-point number.
  public final func read(_ index: Int) throws -> Double { try double(at: index) }

  /// Reads a Boolean.
  public final func read(_ index: Int) throws -> Bool { try bool(at: index) }

  /// Reads a date.
  public final func read(_ index: Int) throws -> Date { try date(at: index) }

  /// Reads an optional string.
  public final func read(_ index: Int) throws -> String? {
    try isNull(at: index) ? nil : string(at: index)
  }

  /// Reads an optional integer.
  public final func read(_ index: Int) throws -> Int? {
    try isNull(at: index) ? nil : fixed(index) as Int
  }

  /// Reads an optional floating-point number.
  public final func read(_ index: Int) throws -> Double? {
    try isNull(at: index) ? nil : double(at: index)
  }

  /// Reads an optional Boolean.
  public final func read(_ index: Int) throws -> Bool? {
    try isNull(at: index) ? nil : bool(at: index)
  }

  /// Reads an optional date.
  public final func read(_ index: Int) throws -> Date? {
    try isNull(at: index) ? nil : date(at: index)
  }

  /// Reads an integer of any other width.
  @inlinable
  public final func read<T: StoreScalar & FixedWidthInteger>(_ index: Int) throws -> T {
    try fixed(index)
  }

  /// Reads any other value of a type that stores support.
  @inlinable
  public final func read<T: StoreScalar>(_ index: Int) throws -> T {
    try scalar(T.self, at: index)
  }

  /// Reads any other optional value of a type that stores support.
  @inlinable
  public final func read<T: StoreScalar>(_ index: Int) throws -> T? {
    try isNull(at: index) ? nil : scalar(T.self, at: index)
  }

  /// Reads a Codable value whose type has the name of a type that stores support, such as
  /// `Character`.
  @_disfavoredOverload
  public final func read<V: Codable>(_ index: Int) throws -> V {
    if isDeferred(at: index), let value = PlaceholderDecoder.value(of: V.self) { return value }
    return try decoded(V.self, at: index)
  }

  /// Rejects a constant relationship to a model that has the name of a type that stores support.
  @available(
    *,
    unavailable,
    message: """
      this model has the name of a Foundation or Swift type; qualify it with its module or its namespace, as in Namespace.Name
      """
  )
  @_disfavoredOverload
  public final func read<M: PersistentModel>(_ index: Int) throws -> M? { nil }

  @inlinable
  final func fixed<T: StoreScalar & FixedWidthInteger>(_ index: Int) throws -> T {
    if T.self == UInt64.self || T.self == UInt.self { return try scalar(T.self, at: index) }
    let stored = try integer(at: index)
    guard let result = T(exactly: stored) else {
      throw invalid(.integer(stored), at: index, expected: "\(T.self)")
    }
    return result
  }
}
