/// The rows of a table by the key that they refer to by one property.
///
/// The slots of the rows that refer to the same key form a doubly linked list, so that a row is added
/// and removed in constant time, however many rows refer to the key.
struct ReferenceIndex: Sendable {
  private var ends: [Int64: (first: Int32, last: Int32)] = [:]
  /// The neighbors of each slot in its list; `none` at its ends.
  private var links: [(previous: Int32, next: Int32)] = []
  private static var none: Int32 { -1 }

  /// Returns the slots that refer to a key, in the order in which they were added.
  func slots(referringTo key: Int64) -> [Int32] {
    guard let (first, _) = ends[key] else { return [] }
    var slots: [Int32] = []
    var slot = first
    while slot != Self.none {
      slots.append(slot)
      slot = links[Int(slot)].next
    }
    return slots
  }

  /// Adds a slot, which must not be in the index.
  mutating func add(_ slot: Int, referringTo key: Int64) {
    if slot >= links.count {
      let missing = repeatElement(
        (previous: Self.none, next: Self.none),
        count: slot + 1 - links.count
      )
      links.append(contentsOf: missing)
    }
    let slot = Int32(slot)
    let ends = ends[key]
    links[Int(slot)] = (ends?.last ?? Self.none, Self.none)
    if let last = ends?.last { links[Int(last)].next = slot }
    self.ends[key] = (ends?.first ?? slot, slot)
  }

  /// Removes a slot, which must have been added with the key.
  mutating func remove(_ slot: Int, referringTo key: Int64) {
    guard var ends = ends[key] else { return }
    let (previous, next) = links[slot]
    if previous == Self.none { ends.first = next } else { links[Int(previous)].next = next }
    if next == Self.none { ends.last = previous } else { links[Int(next)].previous = previous }
    self.ends[key] = ends.first == Self.none ? nil : ends
  }
}
