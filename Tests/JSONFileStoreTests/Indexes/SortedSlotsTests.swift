import StoreTestSupport
import Testing

@testable import JSONFileStore

@Suite struct `Sorted slots` {
  /// All slots in order.
  private func all(_ slots: SortedSlots) -> [Int32] {
    var list: [Int32] = []
    slots.append(slots.start..<slots.end, to: &list)
    return list
  }

  @Test(arguments: [0, 1, 767, 768, 769, 5000])
  func `have the order of their creation`(_ count: Int) {
    let slots = SortedSlots(Array(0..<Int32(count)))
    #expect(all(slots) == Array(0..<Int32(count)))
    #expect(slots.count == count)
    #expect(slots.count(slots.start..<slots.end) == count)
    #expect(slots.hasSoundChunks)
  }

  @Test(arguments: [1, 2, 3])
  func `equal a sorted set after random changes`(_ seed: UInt64) {
    var random = SeededGenerator(seed: seed)
    var slots = SortedSlots()
    var model: Set<Int32> = []
    for step in 0..<12_000 {
      let value = Int32.random(in: 0..<6_000, using: &random)
      let position = slots.partition { $0 < Int(value) }
      #expect((position < slots.end && slots[position] == value) == model.contains(value))
      // The list grows for a while, then shrinks.
      if !model.contains(value), step < 8_000 {
        slots.insert(Int(value), at: position)
        model.insert(value)
      } else if model.contains(value), step >= 6_000 {
        slots.remove(at: position)
        model.remove(value)
      }
      if step % 500 == 0 {
        #expect(slots.hasSoundChunks)
        #expect(all(slots) == model.sorted())
      }
    }
    for _ in 0..<model.count { slots.remove(at: slots.start) }
    #expect(slots.hasSoundChunks && slots.count == 0 && slots.start == slots.end)
  }

  @Test func `are found from a previous position in few steps`() {
    let slots = SortedSlots((0..<3_000).map { $0 * 2 })
    let positions = stride(from: -1, to: 6_002, by: 7).map { value in slots.partition { $0 < value }
    }
    for (number, value) in stride(from: -1, to: 6_002, by: 7).enumerated() {
      for first in positions[...number].suffix(3) + positions.prefix(1) {
        var steps = 0
        let found = slots.partition(from: first) { slot in
          steps += 1
          return slot < value
        }
        #expect(found == positions[number])
        // At most twice the steps of a full search, and few if the position is close.
        #expect(steps <= (slots.count(first..<found) < 12 ? 9 : 26))
      }
    }
  }

  @Test func `fill their chunks when values are appended`() {
    var slots = SortedSlots()
    for value in 0..<10_000 { slots.insert(value, at: slots.end) }
    #expect(slots.hasSoundChunks)
    #expect(all(slots) == Array(0..<10_000))
    #expect(slots.end <= SortedSlots(Array(0..<14_000)).end)
  }

  @Test func `are counted and listed in ranges`() {
    let slots = SortedSlots((0..<3_000).map { $0 * 2 })
    for (low, high) in [(0, 0), (0, 6_000), (1, 2), (1_535, 1_536), (100, 4_000), (5_999, 7_000)] {
      let range = slots.partition { $0 < low }..<slots.partition { $0 < high }
      var list: [Int32] = []
      slots.append(range, to: &list)
      #expect(list == (0..<3_000).map { $0 * 2 }.filter { $0 >= low && $0 < high })
      #expect(slots.count(range) == list.count)
    }
  }

  @Test func `are all visited by stepping forwards and backwards`() {
    let slots = SortedSlots(Array(0..<2_000))
    var forwards: [Int32] = []
    var position = slots.start
    while position < slots.end {
      forwards.append(slots[position])
      position = slots.next(position)
    }
    var backwards: [Int32] = []
    while position > slots.start {
      position = slots.previous(position)
      backwards.append(slots[position])
    }
    #expect(forwards == Array(0..<2_000))
    #expect(backwards == forwards.reversed())
  }
}
