import Foundation
import StoreProtocol

extension CellType {
  /// Whether values of the type are ordered, so that an index can contain them.
  var isOrdered: Bool {
    switch self {
    case .bool, .integer, .double, .date, .string, .decimal, .data, .uuid, .unsigned, .reference:
      true
    case .codable, .references, .external: false
    }
  }

  /// Returns whether the order of cells determines their order relative to a value, as
  /// `StoreValue.sortOrder` does, with all cells equal to the value adjacent.
  func isComparable(to value: StoreValue) -> Bool {
    switch (self, value) {
    case (.bool, .bool), (.string, .string), (.date, .date), (.data, .data), (.uuid, .uuid),
      (.decimal, .decimal), (.integer, .integer), (.integer, .unsigned), (.integer, .double),
      (.unsigned, .integer), (.unsigned, .unsigned), (.unsigned, .double), (.double, .double),
      (.double, .integer), (.double, .unsigned):
      true
    case (.reference, .identifier(let identifier)): identifier.integerKey != nil
    default: false
    }
  }
}

/// The order of the rows by one column: null first, then Swift's `<`, then NaN.
///
/// References are ordered by their stored keys, even if the row was deleted.
extension Column {
  /// Returns the order of two rows: negative, zero or positive.
  func order(_ a: Int, _ b: Int) -> Int {
    switch (isNull(a), isNull(b)) {
    case (true, true): return 0
    case (true, false): return -1
    case (false, true): return 1
    case (false, false): break
    }
    switch type {
    case .bool, .integer, .reference: return Self.order(integer(a), integer(b))
    case .double, .date: return Self.order(double(a), double(b))
    case .string: return TextOrder.order(string(a), string(b))
    default: return StoreValue.sortOrder(value(a), value(b))
    }
  }

  /// Returns a function for the order of two rows, for many comparisons; it uses the current rows.
  func comparison() -> (Int, Int) -> Int {
    guard nulls.wasAlwaysEmpty else { return order }
    switch type {
    case .bool, .integer, .reference:
      let values = integers
      return { Self.order(values[$0], values[$1]) }
    case .double, .date:
      let values = doubles
      return { Self.order(values[$0], values[$1]) }
    case .string:
      let values = strings
      return { TextOrder.order(values[$0], values[$1]) }
    default: return order
    }
  }

  /// Returns a function for sorting many rows: most strings differ in their first eight bytes.
  func sortingComparison() -> (Int, Int) -> Int {
    let rest = comparison()
    guard type == .string, strings.count > 1_000 else { return rest }
    var beginnings = strings.map(\.plainBeginning)
    for slot in beginnings.indices where isNull(slot) { beginnings[slot] = .max }
    return { [beginnings] a, b in
      let (first, second) = (beginnings[a], beginnings[b])
      if first != second, first != .max, second != .max { return first < second ? -1 : 1 }
      return rest(a, b)
    }
  }

  /// Returns the order of a row relative to a value that ``CellType/isComparable(to:)`` accepts, or
  /// to null.
  func order(_ slot: Int, against value: StoreValue) -> Int {
    if isNull(slot) { return value.isNull ? 0 : -1 }
    if value.isNull { return 1 }
    if type == .reference, case .identifier(let identifier) = value {
      return Self.order(integer(slot), identifier.integerKey ?? 0)
    }
    return StoreValue.sortOrder(self.value(slot), value)
  }

  /// Returns a function for the order relative to a value, for many rows; it uses the current rows.
  func order(against value: StoreValue) -> (Int) -> Int {
    let nulls = nulls
    switch (type, value) {
    case (.integer, .integer(let number)):
      let values = integers
      return { nulls.contains($0) ? -1 : Self.order(values[$0], number) }
    case (.double, .double(let number)):
      let values = doubles
      return { nulls.contains($0) ? -1 : Self.order(values[$0], number) }
    case (.date, .date(let date)):
      let (values, number) = (doubles, date.timeIntervalSinceReferenceDate)
      return { nulls.contains($0) ? -1 : Self.order(values[$0], number) }
    case (.string, .string(let text)):
      let values = strings
      return { nulls.contains($0) ? -1 : TextOrder.order(values[$0], text) }
    case (.reference, .identifier(let identifier)):
      let (values, number) = (integers, identifier.integerKey ?? 0)
      return { nulls.contains($0) ? -1 : Self.order(values[$0], number) }
    default: return { order($0, against: value) }
    }
  }

  /// Returns whether a row has NaN, which is unordered relative to numbers.
  func isNotANumber(_ slot: Int) -> Bool {
    guard type == .double || type == .date, !isNull(slot) else { return false }
    return double(slot).isNaN
  }

  @inline(__always)
  private static func order(_ a: Double, _ b: Double) -> Int {
    if a < b { return -1 }
    if a == b { return 0 }
    if a > b { return 1 }
    return (a.isNaN ? 1 : 0) - (b.isNaN ? 1 : 0)
  }

  @inline(__always)
  private static func order<Value: Comparable>(_ a: Value, _ b: Value) -> Int {
    a == b ? 0 : a < b ? -1 : 1
  }
}

extension String {
  /// The first eight bytes as a number, which orders strings like their bytes.
  ///
  /// The maximum number means that the order is unknown: one of the first nine bytes is not ASCII,
  /// and scalars could compose.
  fileprivate var plainBeginning: UInt64 {
    var number: UInt64 = 0
    var count = 0
    for byte in utf8.prefix(9) {
      if byte >= 0x80 { return .max }
      if count < 8 { number |= UInt64(byte) << UInt64(56 - 8 * count) }
      count += 1
    }
    return number
  }
}
