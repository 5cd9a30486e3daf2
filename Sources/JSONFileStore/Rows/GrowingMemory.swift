/// Memory for values that are written consecutively.
///
/// An array checks for uniqueness at each value; this memory belongs to the reader of rows.
///
/// Invariant: the first `count` of the `capacity` elements from `start` are initialized, and no
/// others.
struct GrowingMemory<Value>: ~Copyable {
  private var start = UnsafeMutablePointer<Value>.allocate(capacity: 1)
  private var capacity = 0
  private var count = 0
  // Always empty: without optimization, Swift 6.3 treats a generic type with only trivial members
  // as one that needs no deinit, if another file contains it.
  private let none: [Value] = []

  deinit {
    start.deinitialize(count: count)
    start.deallocate()
  }

  /// Allocates memory for a number of values.
  mutating func grow(to newCapacity: Int) {
    guard newCapacity > capacity else { return }
    let storage = UnsafeMutablePointer<Value>.allocate(capacity: newCapacity)
    storage.moveInitialize(from: start, count: count)
    start.deallocate()
    (start, capacity) = (storage, newCapacity)
  }

  /// Writes a value at an index within the capacity: that of a written value, or the next.
  @inline(__always)
  mutating func set(_ value: consuming Value, at index: Int) {
    assert(index < capacity && index <= count)
    if index == count {
      (start + index).initialize(to: value)
      count = index + 1
    } else {
      start[index] = value
    }
  }

  /// Returns a written value.
  func value(at index: Int) -> Value { start[index] }

  /// Returns the first values as an array, and removes all values.
  mutating func take(_ number: Int) -> [Value] {
    let number = min(number, count)
    let values = [Value](unsafeUninitializedCapacity: number) { buffer, initialized in
      buffer.baseAddress?.moveInitialize(from: start, count: number)
      initialized = number
    }
    (start + number).deinitialize(count: count - number)
    (count, capacity) = (0, 0)
    return values
  }
}
