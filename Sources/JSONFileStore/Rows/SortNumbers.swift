/// Numbers that rise as the values of some rows do, by which these are sorted without a call for
/// each comparison.
///
/// Of two rows with different numbers the one with the smaller comes first. Rows with one number are
/// compared by their values.
private struct SortNumbers {
  private struct Entry {
    let number: UInt64
    let slot: Int32
  }

  private var entries: [Entry]
  /// Whether one number stands for equal values alone.
  private let isExact: Bool

  /// Takes slots with the numbers of their values.
  init(
    _ slots: [Int32],
    isReversed: Bool,
    isExact: Bool,
    _ number: (Int) -> UInt64
  ) {
    let flip: UInt64 = isReversed ? .max : 0
    entries = slots.map { Entry(number: number(Int($0)) ^ flip, slot: $0) }
    self.isExact = isExact
  }

  /// The slots in order.
  ///
  /// - Parameters:
  ///   - isAlone: Whether equal values leave rows in the order of their slots.
  ///   - precedes: The whole order, which decides about rows with one number.
  /// - Returns: The slots.
  func sorted(isAlone: Bool, _ precedes: (Int, Int) -> Bool) -> [Int32] {
    var entries = entries
    if isAlone, isExact {
      entries.sort { a, b in a.number == b.number ? a.slot < b.slot : a.number < b.number }
    } else {
      entries.sort { a, b in
        a.number == b.number ? precedes(Int(a.slot), Int(b.slot)) : a.number < b.number
      }
    }
    return entries.map(\.slot)
  }
}

extension Column {
  /// Some rows in an order that the column decides first.
  ///
  /// - Parameters:
  ///   - slots: The rows.
  ///   - isReversed: Whether greater values come first.
  ///   - isAlone: Whether equal values leave rows in the order of their slots.
  ///   - precedes: The whole order.
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

  /// The numbers of some rows' values, nil for values that have none.
  private func sortNumbers(_ slots: [Int32], isReversed: Bool) -> SortNumbers? {
    let hasNulls = !nulls.wasAlwaysEmpty
    switch type {
    case .bool, .integer, .reference:
      let values = integers
      // The least number is that of null as well.
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
  /// A number above 0 that rises with the value, the greatest of all for NaN.
  fileprivate var sortNumber: UInt64 {
    if isNaN { return .max }
    // Both zeros are equal.
    let bits = (self + 0).bitPattern
    return sign == .minus && self != 0 ? ~bits : bits | (1 << 63)
  }
}
