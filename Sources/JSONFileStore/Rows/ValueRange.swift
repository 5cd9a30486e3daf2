import StoreProtocol

/// A range of values that are neither nil nor NaN; a missing bound is open.
struct ValueRange {
  struct Bound {
    let value: StoreValue
    let isIncluded: Bool
  }

  var lower: Bound?
  var upper: Bound?

  /// Returns a test whether the range starts above the value of a row.
  func isAbove(_ column: Column) -> (Int) -> Bool {
    guard let lower else { return { column.isNull($0) } }
    let order = column.order(against: lower.value)
    return lower.isIncluded ? { order($0) < 0 } : { order($0) <= 0 }
  }

  /// Returns a test whether the range ends below the value of a row.
  func isBelow(_ column: Column) -> (Int) -> Bool {
    guard let upper else { return { column.isNotANumber($0) } }
    let order = column.order(against: upper.value)
    return upper.isIncluded ? { order($0) > 0 } : { order($0) >= 0 }
  }

  /// Returns the intersection of two ranges.
  func intersection(_ other: ValueRange) -> ValueRange {
    ValueRange(
      lower: Self.tighter(lower, other.lower, sign: 1),
      upper: Self.tighter(upper, other.upper, sign: -1)
    )
  }

  private static func tighter(_ first: Bound?, _ second: Bound?, sign: Int) -> Bound? {
    guard let first, let second else { return first ?? second }
    let order = sign * StoreValue.sortOrder(first.value, second.value)
    if order == 0 { return first.isIncluded ? second : first }
    return order > 0 ? first : second
  }
}
