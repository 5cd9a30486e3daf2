/// Memory for values that are written consecutively.
///
/// An array checks for uniqueness at each value; this memory belongs to the reader of rows.
///
/// Invariant: the first `count` elements of `memory` are initialized, and no others.
struct GrowingMemory<Value>: ~Copyable {
  private var memory = UnsafeMutableBufferPointer<Value>(start: nil, count: 0)
  private var count = 0
  // Always empty: without optimization, Swift 6.3 treats a generic type with only trivial members
  // as one that needs no deinit, if another file contains it.
  private let none: [Value] = []

  deinit {
    memory[..<count].deinitialize()
    memory.deallocate()
  }

  /// Allocates memory for a number of values.
  mutating func grow(to capacity: Int) {
    guard capacity > memory.count else { return }
    let larger = UnsafeMutableBufferPointer<Value>.allocate(capacity: capacity)
    _ = larger.moveInitialize(fromContentsOf: memory[..<count])
    memory.deallocate()
    memory = larger
  }

  /// Writes a value at an index within the capacity: that of a written value, or the next.
  @inline(__always)
  mutating func set(_ value: consuming Value, at index: Int) {
    assert(index < memory.count && index <= count)
    if index == count {
      memory.initializeElement(at: index, to: value)
      count = index + 1
    } else {
      memory[index] = value
    }
  }

  /// Returns a written value.
  func value(at index: Int) -> Value { memory[index] }

  /// Returns the first values as an array, and removes all values.
  mutating func take(_ number: Int) -> [Value] {
    let number = min(number, count)
    let values = [Value](unsafeUninitializedCapacity: number) { buffer, initialized in
      _ = buffer.moveInitialize(fromContentsOf: memory[..<number])
      initialized = number
    }
    memory[number..<count].deinitialize()
    count = 0
    return values
  }
}
