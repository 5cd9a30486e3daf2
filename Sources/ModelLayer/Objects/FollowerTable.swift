import StoreProtocol

/// Weakly referenced objects by the keys of their rows: a ``KeyTable`` for objects that outlive
/// their context.
///
/// The table is created whenever a context ends that has objects which the program still holds, so
/// it must be cheap. Like the other, it is independent of the objects' type.
struct FollowerTable: ~Copyable {
  private struct Slot {
    var number: Int64 = 0
    /// Whether the slot has a key, even if its object has ended.
    var isOccupied = false
    weak var object: AnyObject?
  }

  // As in `KeyTable`: open addressing, at most half of the slots taken, all initialized. The slot
  // of an object that ended or was removed stays taken until the table grows or is swept.
  private var slots = UnsafeMutableBufferPointer<Slot>(start: nil, count: 0)
  private var occupiedCount = 0
  private var others: [PersistentIdentifier.Key: Follower] = [:]
  private let homes = KeyHomes()

  init() {}

  deinit {
    slots.deinitialize()
    slots.deallocate()
  }

  /// The number of keys in the table; objects of some may have ended.
  var count: Int { occupiedCount + others.count }

  /// The object of a key.
  subscript(key: PersistentIdentifier.Key) -> AnyObject? {
    get {
      if case .integer(let number) = key { return value(of: number) }
      return others.isEmpty ? nil : others[key]?.object
    }
    set {
      guard case .integer(let number) = key else {
        others[key] = newValue.map { Follower(object: $0) }
        return
      }
      if let newValue {
        put(newValue, at: number)
      } else if !slots.isEmpty {
        slots[slotIndex(of: number)].object = nil
      }
    }
  }

  /// Returns the object of an integer key.
  func value(of number: Int64) -> AnyObject? {
    slots.isEmpty ? nil : slots[slotIndex(of: number)].object
  }

  /// All objects, in no order.
  var values: [AnyObject] { slots.compactMap(\.object) + others.values.compactMap(\.object) }

  /// All objects with their keys, in no order.
  var entries: [(key: PersistentIdentifier.Key, value: AnyObject)] {
    slots.compactMap { slot in slot.object.map { (.integer(slot.number), $0) } }
      + others.compactMap { key, follower in follower.object.map { (key, $0) } }
  }

  /// Puts an object at an integer key.
  mutating func put(_ object: AnyObject, at number: Int64) {
    if occupiedCount * 2 >= slots.count { grow(to: max(16, slots.count * 2)) }
    let index = slotIndex(of: number)
    if !slots[index].isOccupied {
      occupiedCount += 1
      slots[index].number = number
      slots[index].isOccupied = true
    }
    slots[index].object = object
  }

  /// Reserves space for a number of keys at once.
  mutating func reserveCapacity(_ count: Int) {
    var size = max(16, slots.count)
    while size <= count * 2 { size *= 2 }
    if size > slots.count { grow(to: size) }
  }

  /// Removes the keys of objects that ended.
  mutating func removeEnded() {
    others = others.filter { $0.value.object != nil }
    if !slots.isEmpty { grow(to: slots.count) }
  }

  /// Moves to a table of another size, without the keys of objects that ended.
  private mutating func grow(to size: Int) {
    let old = slots
    slots = .allocate(capacity: size)
    slots.initialize(repeating: Slot())
    occupiedCount = 0
    for index in old.indices where old[index].object != nil {
      slots[slotIndex(of: old[index].number)] = old[index]
      occupiedCount += 1
    }
    old.deinitialize()
    old.deallocate()
  }

  /// Returns the slot of an integer key, or the slot where it would be put.
  private func slotIndex(of number: Int64) -> Int {
    var index = homes.home(of: number, in: slots.count)
    while slots[index].isOccupied, slots[index].number != number {
      index = (index + 1) & (slots.count - 1)
    }
    return index
  }
}

/// A reference that does not keep its object alive.
private struct Follower {
  weak var object: AnyObject?
}
