/// The storage of a property whose value may not be loaded yet.
///
/// The macro uses it for every property whose type it cannot tell to be a plain value from the
/// source alone: relationships, enumerations, structures, collections.
public struct _Slot<Value> {
  /// The value, nil while it is not loaded.
  public var value: Value?
  /// The row number of the object at the other end of a to-one relationship that is not loaded.
  public var key: Int64 = 0

  /// Creates a slot with a value.
  @inlinable
  public init(_ value: Value) {
    self.value = value
  }

  /// Creates a slot whose value is to be loaded.
  @inlinable
  public init(fault key: Int64) {
    self.key = key
  }

  /// Whether the value was not loaded.
  @inlinable
  public var isFault: Bool { value == nil }

  /// Creates a slot that takes its type from a closure which is never run.
  @inlinable
  public static func unset(_ type: () -> Value) -> _Slot<Value> {
    _Slot(fault: 0)
  }
}
