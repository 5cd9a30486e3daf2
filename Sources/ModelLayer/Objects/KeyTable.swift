import StoreProtocol
import Synchronization

/// Objects by the keys of their rows.
///
/// Integer keys, as in all stores of this package, are in an open-addressing table: hashing a key
/// of any kind costs more than the rest of a lookup. Consecutive keys are adjacent, since rows are
/// read in that order. Other keys are in a dictionary.
///
/// The table is independent of the objects' type. Generic code over a type that only the program
/// knows looks up metadata repeatedly, which costs more than everything else here. Its slots are in
/// memory of its own, since an array counts a reference to each object again whenever the table
/// grows.
struct KeyTable: ~Copyable {
  private struct Slot {
    var number: Int64 = 0
    var value: AnyObject?
  }

  // 1. A key is at its home slot or behind it with no empty slot in between. The slots form a ring;
  //    their number is a power of two, or zero while there was no key.
  // 2. At most half of the slots are taken, so that there is always an empty one to end a search.
  // 3. All slots are initialized.
  private var slots = UnsafeMutableBufferPointer<Slot>(start: nil, count: 0)
  private var numberCount = 0
  private var others: [PersistentIdentifier.Key: AnyObject] = [:]

  /// The seed of this table's home slots, so that a file cannot choose keys that collide.
  private let seed = Self.seeds.wrappingAdd(0x9E37_79B9_7F4A_7C15, ordering: .relaxed).newValue
  /// The last seed.
  ///
  /// The first is random; a new random one per table would take longer than creating the table.
  private static let seeds = Atomic(UInt64.random(in: 0 ... .max))

  deinit {
    slots.deinitialize()
    slots.deallocate()
  }

  /// The number of keys in the table.
  var count: Int { numberCount + others.count }

  /// The object of a key.
  subscript(key: PersistentIdentifier.Key) -> AnyObject? {
    get {
      if case .integer(let number) = key { return value(of: number) }
      return others.isEmpty ? nil : others[key]
    }
    set {
      guard case .integer(let number) = key else { return others[key] = newValue }
      if let newValue { put(newValue, at: number) } else { remove(number) }
    }
  }

  /// All objects, in no order.
  var values: [AnyObject] { slots.compactMap(\.value) + others.values }

  /// Calls a body with each object, its key, and whether no other code refers to it, in no order.
  mutating func forEach(_ body: (PersistentIdentifier.Key, AnyObject, Bool) -> Void) {
    for index in slots.indices {
      let isUnshared = isKnownUniquelyReferenced(&slots[index].value)
      if let value = slots[index].value { body(.integer(slots[index].number), value, isUnshared) }
    }
    var index = others.values.startIndex
    while index != others.values.endIndex {
      let isUnshared = isKnownUniquelyReferenced(&others.values[index])
      body(others.keys[index], others.values[index], isUnshared)
      others.values.formIndex(after: &index)
    }
  }

  /// Returns the object of an integer key.
  @inline(__always)
  func value(of number: Int64) -> AnyObject? {
    slots.isEmpty ? nil : slots[slotIndex(of: number)].value
  }

  /// Provides access to the addresses of the objects of some keys, as far as they exist, without
  /// counting references to them.
  func withObjects(
    of numbers: [Int64],
    _ body: (UnsafeBufferPointer<UnsafeRawPointer>) -> Void
  ) {
    guard !slots.isEmpty, let start = UnsafeRawPointer(slots.baseAddress) else { return }
    withUnsafeTemporaryAllocation(of: UnsafeRawPointer.self, capacity: numbers.count) { objects in
      var count = 0
      for number in numbers {
        let slot = start + slotIndex(of: number) * MemoryLayout<Slot>.stride
        let value = slot.load(fromByteOffset: Self.valueOffset, as: UnsafeRawPointer?.self)
        guard let value else { continue }
        objects.initializeElement(at: count, to: value)
        count += 1
      }
      body(UnsafeBufferPointer(rebasing: objects[..<count]))
    }
  }

  private static let valueOffset = MemoryLayout<Slot>.offset(of: \.value) ?? 0

  /// Puts an object at an integer key.
  @inline(__always)
  mutating func put(_ value: AnyObject, at number: Int64) {
    if numberCount * 2 >= slots.count { grow(to: max(16, slots.count * 2)) }
    let index = slotIndex(of: number)
    if slots[index].value == nil { numberCount += 1 }
    slots[index].number = number
    slots[index].value = value
  }

  /// Removes the objects that no other code refers to, unless a closure says that they are needed.
  mutating func removeUnshared(unless isNeeded: (AnyObject) -> Bool) {
    var unused: [PersistentIdentifier.Key] = []
    forEach { key, value, isUnshared in
      if isUnshared, !isNeeded(value) { unused.append(key) }
    }
    for key in unused { self[key] = nil }
  }

  /// Removes an integer key, and closes the gap that it leaves.
  private mutating func remove(_ number: Int64) {
    if slots.isEmpty { return }
    let mask = slots.count - 1
    var gap = slotIndex(of: number)
    // The object may end with this reference; the table must be consistent by then.
    guard let removed = slots[gap].value else { return }
    defer { withExtendedLifetime(removed) {} }
    slots[gap].value = nil
    numberCount -= 1
    var index = (gap + 1) & mask
    while slots[index].value != nil {
      let home = home(of: slots[index].number)
      let distance = (index - home) & mask
      if distance >= (index - gap) & mask {
        slots.swapAt(gap, index)
        gap = index
      }
      index = (index + 1) & mask
    }
  }

  /// Reserves space for a number of keys at once.
  mutating func reserveCapacity(_ count: Int) {
    var size = max(16, slots.count)
    while size <= count * 2 { size *= 2 }
    if size > slots.count { grow(to: size) }
  }

  private mutating func grow(to size: Int) {
    let old = slots
    slots = .allocate(capacity: size)
    slots.initialize(repeating: Slot())
    for index in old.indices where old[index].value != nil {
      slots[slotIndex(of: old[index].number)] = old.moveElement(from: index)
    }
    // Slots that were not moved are empty, and refer to nothing that must be released.
    old.deallocate()
  }

  /// Returns the slot of an integer key, or the slot where it would be put.
  @inline(__always)
  private func slotIndex(of number: Int64) -> Int {
    var index = home(of: number)
    while slots[index].value != nil, slots[index].number != number {
      index = (index + 1) & (slots.count - 1)
    }
    return index
  }

  /// Returns the home slot of an integer key.
  ///
  /// Blocks of eight are spread; the keys of a block are neighbors.
  @inline(__always)
  private func home(of number: Int64) -> Int {
    let bits = UInt64(bitPattern: number)
    let block = ((bits >> 3) ^ seed) &* 0x9E37_79B9_7F4A_7C15
    // The low bits of a product do not depend on the high ones of its factors.
    let spread = block ^ (block >> 32)
    return Int(truncatingIfNeeded: (spread << 3) &+ (bits & 7)) & (slots.count - 1)
  }
}
