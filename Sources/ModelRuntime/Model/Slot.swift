/// The storage of a property whose value may not be loaded yet.
///
/// The macro uses it for every property whose type is not clearly a plain value in the source:
/// relationships, enumerations, structures, collections.
public struct _Slot<Value> {
  /// The value, or `nil` while it is not loaded.
  public var value: Value?
  /// The row number of the related object of an unloaded to-one relationship.
  public var key: Int64 = 0

  /// Creates a slot with a value.
  @inlinable
  public init(_ value: Value) {
    self.value = value
  }

  /// Creates a slot whose value is not loaded.
  @inlinable
  public init(fault key: Int64) {
    self.key = key
  }

  /// Whether the value is not loaded.
  @inlinable
  public var isFault: Bool { value == nil }

  /// Creates a slot that takes its type from a closure, which is never called.
  @inlinable
  public static func unset(_ type: () -> Value) -> _Slot<Value> {
    _Slot(fault: 0)
  }
}
