/// Places for values that are written one after the other, in memory of its own.
///
/// An array asks at each value whether it is shared; this one belongs to whoever reads rows.
///
/// Invariant: `capacity` places behind `start` are initialised, at first with the filling.
struct GrowingMemory<Value>: ~Copyable {
  private var start: UnsafeMutablePointer<Value>
  private var capacity = 0
  // One value, in an array all the same: without optimisation, Swift 6.3 takes a generic type of
  // plain parts for one that needs no deinit, where another file has it.
  private let filling: [Value]

  init(filling: Value) {
    start = .allocate(capacity: 1)
    self.filling = [filling]
  }

  deinit {
    start.deinitialize(count: capacity)
    start.deallocate()
  }

  /// Makes room for a number of values.
  mutating func grow(to count: Int) {
    guard count > capacity else { return }
    let places = UnsafeMutablePointer<Value>.allocate(capacity: count)
    places.moveInitialize(from: start, count: capacity)
    (places + capacity).initialize(repeating: filling[0], count: count - capacity)
    start.deallocate()
    (start, capacity) = (places, count)
  }

  /// Writes a value at a place that there is room for.
  @inline(__always)
  mutating func set(_ value: consuming Value, at place: Int) {
    assert(place < capacity)
    start[place] = value
  }

  /// The first values as an array; there is room for none then.
  mutating func take(_ count: Int) -> [Value] {
    let count = min(count, capacity)
    let values = [Value](unsafeUninitializedCapacity: count) { buffer, initialized in
      buffer.baseAddress?.moveInitialize(from: start, count: count)
      initialized = count
    }
    (start + count).deinitialize(count: capacity - count)
    capacity = 0
    return values
  }
}
