import Foundation
import StoreProtocol

extension ColumnCondition {
  /// Returns a test of the rows of a table that reads the column only.
  func test(over column: Column) -> ColumnTest {
    let nulls = column.nulls
    switch column.type {
    case .bool, .integer:
      if let (low, high) = wholeBounds {
        return ColumnTest(column.integers, nulls, from: low, through: high)
      }
    case .double, .date:
      if let (low, high) = realBounds {
        return ColumnTest(column.doubles, nulls, from: low, through: high)
      }
    case .string:
      if case .among(let list) = test, list.count == 1, case .string(let text) = list[0] {
        let values = column.strings
        return ColumnTest { TextOrder.areEqual(values[$0], text) && !nulls.contains($0) }
      }
    default: break
    }
    return ColumnTest(orderedTest(column))
  }

  /// Returns the test by the order of the column, for all types of columns and values.
  private func orderedTest(_ column: Column) -> (Int) -> Bool {
    switch test {
    case .among(let list):
      if let test = setTest(list, column) { return test }
      let sorted = list.sortedOnce
      return { sorted.contains(valueOf: $0, column) }
    case .within(let range):
      let (isAbove, isBelow) = (range.isAbove(column), range.isBelow(column))
      return { !column.isNull($0) && !isAbove($0) && !isBelow($0) }
    case .differs(let value):
      let order = column.order(against: value)
      return { order($0) != 0 }
    }
  }

  /// Returns the test by a set, for lists of values in the column's form, or `nil` for other lists.
  private func setTest(_ list: [StoreValue], _ column: Column) -> ((Int) -> Bool)? {
    let nulls = column.nulls
    switch column.type {
    case .bool, .integer:
      let (values, set) = (column.integers, Set(list.compactMap(\.integer)))
      guard set.count == list.count else { return nil }
      return { set.contains(values[$0]) && !nulls.contains($0) }
    case .string:
      let (values, set) = (column.strings, Set(list.compactMap(\.text?.comparable)))
      guard set.count == list.count else { return nil }
      return { set.contains(values[$0].comparable) && !nulls.contains($0) }
    default: return nil
    }
  }

  /// The minimum and maximum integer that pass, or `nil` if such bounds do not express the test.
  private var wholeBounds: (Int64, Int64)? {
    switch test {
    case .among(let list):
      guard list.count == 1, let number = list[0].integer else { return nil }
      return (number, number)
    case .within(let range):
      guard let low = Self.whole(range.lower, step: 1, open: .min),
        let high = Self.whole(range.upper, step: -1, open: .max)
      else { return nil }
      return (low, high)
    case .differs: return nil
    }
  }

  private static func whole(_ bound: ValueRange.Bound?, step: Int64, open: Int64) -> Int64? {
    guard let bound else { return open }
    guard let number = bound.value.integer else { return nil }
    if bound.isIncluded { return number }
    let (next, overflows) = number.addingReportingOverflow(step)
    return overflows ? nil : next
  }

  /// The minimum and maximum floating-point number that pass, or `nil` if such bounds do not
  /// express the test.
  private var realBounds: (Double, Double)? {
    switch test {
    case .among(let list):
      guard list.count == 1, let number = list[0].real else { return nil }
      return (number, number)
    case .within(let range):
      guard let low = Self.real(range.lower, open: -.infinity, next: \.nextUp),
        let high = Self.real(range.upper, open: .infinity, next: \.nextDown)
      else { return nil }
      return (low, high)
    case .differs: return nil
    }
  }

  private static func real(
    _ bound: ValueRange.Bound?,
    open: Double,
    next: (Double) -> Double
  ) -> Double? {
    guard let bound else { return open }
    guard let number = bound.value.real else { return nil }
    // There is no next number after infinity.
    if bound.isIncluded { return number }
    return number.isInfinite && next(number) == number ? nil : next(number)
  }
}

extension StoreValue {
  /// The value of an integer or a Boolean in a column.
  fileprivate var integer: Int64? {
    switch self {
    case .integer(let number): number
    case .bool(let flag): flag ? 1 : 0
    default: nil
    }
  }

  fileprivate var text: String? {
    if case .string(let text) = self { return text }
    return nil
  }

  /// The value of a floating-point number or a date in a column.
  fileprivate var real: Double? {
    switch self {
    case .double(let number): number
    case .date(let date): date.timeIntervalSinceReferenceDate
    default: nil
    }
  }
}

extension [StoreValue] {
  /// The values in column order, without duplicates.
  var sortedOnce: [StoreValue] {
    var result: [StoreValue] = []
    for value in sorted(by: { StoreValue.columnOrder($0, $1) < 0 })
    where result.last.map({ StoreValue.columnOrder($0, value) != 0 }) ?? true {
      result.append(value)
    }
    return result
  }

  /// Returns whether a sorted list contains the value of a row.
  fileprivate func contains(valueOf slot: Int, _ column: Column) -> Bool {
    let index = partitioningIndex { column.order(slot, against: $0) <= 0 }
    return index < endIndex && column.order(slot, against: self[index]) == 0
  }
}

extension StoreValue {
  /// Returns the order in columns, where references are ordered by their keys.
  fileprivate static func columnOrder(_ a: StoreValue, _ b: StoreValue) -> Int {
    guard case .identifier(let first) = a, case .identifier(let second) = b else {
      return sortOrder(a, b)
    }
    let keys = (first.integerKey ?? 0, second.integerKey ?? 0)
    return keys.0 == keys.1 ? 0 : keys.0 < keys.1 ? -1 : 1
  }
}
