/// Places for values that are written one after the other, in memory of its own.
///
/// An array asks at each value whether it is shared; this one belongs to whoever reads rows.
///
/// Invariant: the first `count` of `capacity` places behind `start` are initialised, and no others.
struct GrowingMemory<Value>: ~Copyable {
  private var start = UnsafeMutablePointer<Value>.allocate(capacity: 1)
  private var capacity = 0
  private var count = 0
  // Never anything but empty: without optimisation, Swift 6.3 takes a generic type of plain parts
  // for one that needs no deinit, where another file has it.
  private let none: [Value] = []

  deinit {
    start.deinitialize(count: count)
    start.deallocate()
  }

  /// Makes room for a number of values.
  mutating func grow(to newCapacity: Int) {
    guard newCapacity > capacity else { return }
    let places = UnsafeMutablePointer<Value>.allocate(capacity: newCapacity)
    places.moveInitialize(from: start, count: count)
    start.deallocate()
    (start, capacity) = (places, newCapacity)
  }

  /// Writes a value at a place that there is room for: one that was written, or the next.
  @inline(__always)
  mutating func set(_ value: consuming Value, at place: Int) {
    assert(place < capacity && place <= count)
    if place == count {
      (start + place).initialize(to: value)
      count = place + 1
    } else {
      start[place] = value
    }
  }

  /// The first values as an array; there are none then.
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
