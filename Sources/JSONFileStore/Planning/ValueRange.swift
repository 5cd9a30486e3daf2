import StoreProtocol

/// A range of values that are neither nil nor NaN, open at the sides that have no bound.
struct ValueRange {
  struct Bound {
    let value: StoreValue
    let isIncluded: Bool
  }

  var lower: Bound?
  var upper: Bound?

  /// Whether the range begins above a row's value.
  func isAbove(_ slot: Int, _ column: Column) -> Bool {
    guard let lower else { return column.isNull(slot) }
    let order = column.order(slot, against: lower.value)
    return lower.isIncluded ? order < 0 : order <= 0
  }

  /// Whether the range ends below a row's value.
  func isBelow(_ slot: Int, _ column: Column) -> Bool {
    guard let upper else { return column.isNotANumber(slot) }
    let order = column.order(slot, against: upper.value)
    return upper.isIncluded ? order > 0 : order >= 0
  }

  /// Whether the range begins above the values of rows.
  func isAbove(_ column: Column) -> (Int) -> Bool {
    guard let lower else { return { column.isNull($0) } }
    let order = column.order(against: lower.value)
    return lower.isIncluded ? { order($0) < 0 } : { order($0) <= 0 }
  }

  /// Whether the range ends below the values of rows.
  func isBelow(_ column: Column) -> (Int) -> Bool {
    guard let upper else { return { column.isNotANumber($0) } }
    let order = column.order(against: upper.value)
    return upper.isIncluded ? { order($0) > 0 } : { order($0) >= 0 }
  }

  /// Whether a row's value lies in the range.
  func contains(_ slot: Int, _ column: Column) -> Bool {
    !column.isNull(slot) && !isAbove(slot, column) && !isBelow(slot, column)
  }

  /// What lies in both of two ranges.
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
