import Foundation

// The overloads that macro-made code picks by the type of a property.

extension RowReader {
  /// Reads a text.
  public final func read(_ index: Int) throws -> String { try string(at: index) }

  /// Reads a whole number.
  public final func read(_ index: Int) throws -> Int { try fixed(index) }

  /// Reads a floating-point number.
  public final func read(_ index: Int) throws -> Double { try double(at: index) }

  /// Reads a truth value.
  public final func read(_ index: Int) throws -> Bool { try bool(at: index) }

  /// Reads a point in time.
  public final func read(_ index: Int) throws -> Date { try date(at: index) }

  /// Reads a text that may be absent.
  public final func read(_ index: Int) throws -> String? {
    try isNull(at: index) ? nil : string(at: index)
  }

  /// Reads a whole number that may be absent.
  public final func read(_ index: Int) throws -> Int? {
    try isNull(at: index) ? nil : fixed(index) as Int
  }

  /// Reads a floating-point number that may be absent.
  public final func read(_ index: Int) throws -> Double? {
    try isNull(at: index) ? nil : double(at: index)
  }

  /// Reads a truth value that may be absent.
  public final func read(_ index: Int) throws -> Bool? {
    try isNull(at: index) ? nil : bool(at: index)
  }

  /// Reads a point in time that may be absent.
  public final func read(_ index: Int) throws -> Date? {
    try isNull(at: index) ? nil : date(at: index)
  }

  /// Reads a whole number of any other width.
  @inlinable
  public final func read<T: StoreScalar & FixedWidthInteger>(_ index: Int) throws -> T {
    try fixed(index)
  }

  /// Reads any other value that stores know.
  @inlinable
  public final func read<T: StoreScalar>(_ index: Int) throws -> T {
    try scalar(T.self, at: index)
  }

  /// Reads any other value that stores know and that may be absent.
  @inlinable
  public final func read<T: StoreScalar>(_ index: Int) throws -> T? {
    try isNull(at: index) ? nil : scalar(T.self, at: index)
  }

  /// Reads a Codable value whose type has the name of one that stores know, such as `Character`.
  @_disfavoredOverload
  public final func read<V: Codable>(_ index: Int) throws -> V {
    if isDeferred(at: index), let value = PlaceholderDecoder.value(of: V.self) { return value }
    return try decoded(V.self, at: index)
  }

  /// Refuses a relationship to a model that has the name of a type that stores know.
  @available(
    *,
    unavailable,
    message: """
      the name of this model is that of a Foundation or Swift type; write it with its module or \
      its namespace, as in Namespace.Name
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
