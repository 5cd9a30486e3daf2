import Foundation
import StoreProtocol

/// The values of one sort term for all rows, as plain numbers or strings if possible.
enum SortColumn {
  typealias Order = (Int, Int) -> Int

  /// Returns the order of two rows by position: negative, zero or positive.
  static func order(of values: [StoreValue], isReversed: Bool) -> Order {
    let sign = isReversed ? -1 : 1
    if let list = integers(values) { return order(list, sign) }
    if let list = doubles(values) { return order(list, sign) }
    if let list = texts(values) { return { sign * TextOrder.order(list[$0], list[$1]) } }
    return { sign * StoreValue.sortOrder(values[$0], values[$1]) }
  }

  /// Returns the order of identifiers, by their keys.
  static func order(of identifiers: [PersistentIdentifier]) -> Order {
    let keys = identifiers.compactMap { $0.integerKey }
    if keys.count == identifiers.count { return order(keys, 1) }
    return order(identifiers, 1)
  }

  @inline(__always)
  private static func order<T: Comparable>(_ list: [T], _ sign: Int) -> Order {
    { first, second in
      let (a, b) = (list[first], list[second])
      return a < b ? -sign : a == b ? 0 : sign
    }
  }

  private static func integers(_ values: [StoreValue]) -> [Int64]? {
    var list: [Int64] = []
    list.reserveCapacity(values.count)
    for value in values {
      guard case .integer(let number) = value else { return nil }
      list.append(number)
    }
    return list
  }

  // NaN is left to the mixed kind, which defines its position.
  private static func doubles(_ values: [StoreValue]) -> [Double]? {
    var list: [Double] = []
    list.reserveCapacity(values.count)
    for value in values {
      switch value {
      case .double(let number) where !number.isNaN: list.append(number)
      case .date(let date) where !date.timeIntervalSinceReferenceDate.isNaN:
        list.append(date.timeIntervalSinceReferenceDate)
      default: return nil
      }
    }
    return list
  }

  private static func texts(_ values: [StoreValue]) -> [String]? {
    var list: [String] = []
    list.reserveCapacity(values.count)
    for value in values {
      guard case .string(let text) = value else { return nil }
      list.append(text)
    }
    return list
  }
}
