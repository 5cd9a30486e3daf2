/// Numbers in the order of some rows' values, which sort the rows without a call for each
/// comparison.
///
/// Of two rows with different numbers, the one with the smaller number comes first. Rows with equal
/// numbers are compared by their values.
private struct SortNumbers {
  private var entries: [SortEntry]
  /// Whether equal numbers imply equal values.
  private let isExact: Bool
  /// Whether the slots were in ascending order.
  private let isRising: Bool

  /// Creates entries for slots with the numbers of their values.
  init(
    _ slots: [Int32],
    isReversed: Bool,
    isExact: Bool,
    _ number: (Int) -> UInt64
  ) {
    let flip: UInt64 = isReversed ? .max : 0
    entries = slots.map { SortEntry(number: number(Int($0)) ^ flip, slot: $0) }
    self.isExact = isExact
    isRising = zip(slots, slots.dropFirst()).allSatisfy { $0 < $1 }
  }

  /// Returns the slots in order.
  ///
  /// - Parameters:
  ///   - isAlone: Whether rows with equal values are in the order of their slots.
  ///   - precedes: The complete order, which decides between rows with equal numbers.
  /// - Returns: The slots.
  func sorted(isAlone: Bool, _ precedes: (Int, Int) -> Bool) -> [Int32] {
    var slots = SortEntry.sorted(entries)
    let isDone = isAlone && isExact && isRising
    if !isDone { sortEqualNumbers(&slots, precedes) }
    return slots.map(\.slot)
  }

  /// Sorts rows with equal numbers.
  private func sortEqualNumbers(
    _ entries: inout [SortEntry],
    _ precedes: (Int, Int) -> Bool
  ) {
    var start = 0
    while start < entries.count {
      var end = start + 1
      while end < entries.count, entries[end].number == entries[start].number { end += 1 }
      if end - start > 1 {
        entries[start..<end].sort { precedes(Int($0.slot), Int($1.slot)) }
      }
      start = end
    }
  }
}

private struct SortEntry {
  let number: UInt64
  let slot: Int32

  /// The number of bits that are processed together.
  private static let bits = 11
  private static let mask: UInt64 = 1 << UInt64(bits) - 1
  /// The minimum number of rows for which this is faster.
  private static let least = 200

  /// Returns rows in the order of their numbers, stably.
  ///
  /// Rows are sorted by groups of bits, from the lowest to the highest, as far as their numbers
  /// differ there.
  ///
  /// - Complexity: O(*n*) in the number of rows.
  static func sorted(_ entries: [SortEntry]) -> [SortEntry] {
    guard entries.count >= least, let first = entries.first?.number else {
      return entries.enumerated().sorted {
        ($0.element.number, $0.offset) < ($1.element.number, $1.offset)
      }.map(\.element)
    }
    let differing = entries.reduce(0) { $0 | ($1.number ^ first) }
    var (sorted, other) = (entries, entries)
    var shift = differing.trailingZeroBitCount
    while shift < 64, differing >> UInt64(shift) != 0 {
      if differing >> UInt64(shift) & mask != 0 {
        put(sorted, in: &other, by: UInt64(shift))
        swap(&sorted, &other)
      }
      shift += bits
    }
    return sorted
  }

  /// Sorts rows by a group of bits.
  private static func put(
    _ entries: [SortEntry],
    in target: inout [SortEntry],
    by shift: UInt64
  ) {
    var offsets = [Int](repeating: 0, count: 1 << bits)
    offsets.withUnsafeMutableBufferPointer { offsets in
      for entry in entries { offsets[Int(entry.number >> shift & mask)] += 1 }
      var next = 0
      for index in offsets.indices {
        (offsets[index], next) = (next, next + offsets[index])
      }
      target.withUnsafeMutableBufferPointer { target in
        for entry in entries {
          let group = Int(entry.number >> shift & mask)
          target[offsets[group]] = entry
          offsets[group] += 1
        }
      }
    }
  }
}

extension Column {
  /// Returns rows in an order whose first criterion is the column.
  ///
  /// - Parameters:
  ///   - slots: The rows.
  ///   - isReversed: Whether greater values come first.
  ///   - isAlone: Whether rows with equal values are in the order of their slots.
  ///   - precedes: The complete order.
  /// - Returns: The rows in order.
  func sorted(
    _ slots: [Int32],
    isReversed: Bool = false,
    isAlone: Bool,
    by precedes: (Int, Int) -> Bool
  ) -> [Int32] {
    guard let numbers = sortNumbers(slots, isReversed: isReversed) else {
      return slots.sorted { precedes(Int($0), Int($1)) }
    }
    return numbers.sorted(isAlone: isAlone, precedes)
  }

  /// Returns the numbers of rows' values, or `nil` for values without numbers.
  private func sortNumbers(_ slots: [Int32], isReversed: Bool) -> SortNumbers? {
    let hasNulls = !nulls.wasAlwaysEmpty
    switch type {
    case .bool, .integer, .reference:
      let values = integers
      // Null and the smallest value have the same number.
      return SortNumbers(slots, isReversed: isReversed, isExact: !hasNulls) { slot in
        hasNulls && isNull(slot) ? 0 : UInt64(bitPattern: values[slot]) ^ (1 << 63)
      }
    case .double, .date:
      let values = doubles
      return SortNumbers(slots, isReversed: isReversed, isExact: true) { slot in
        hasNulls && isNull(slot) ? 0 : values[slot].sortNumber
      }
    default: return nil
    }
  }
}

extension Double {
  /// A number above 0 that increases with the value, and is the greatest for NaN.
  fileprivate var sortNumber: UInt64 {
    if isNaN { return .max }
    // Both zeros are equal.
    let bits = (self + 0).bitPattern
    return sign == .minus && self != 0 ? ~bits : bits | (1 << 63)
  }
}
