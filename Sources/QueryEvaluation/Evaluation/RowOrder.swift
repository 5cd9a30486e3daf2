import Foundation
import StoreProtocol

/// The order of rows by sort terms, with ties by key.
struct RowOrder {
  private let positions: [Int]
  private let isInOrder: Bool
  private let precedes: (Int, Int) -> Bool

  /// Reads the sort values, once for each row.
  init<Row: QueryRow>(
    _ rows: UnsafeBufferPointer<Row>,
    _ positions: [Int],
    _ terms: [QuerySort],
    reader: (QueryExpression) throws -> (Row) throws -> StoreValue
  ) throws {
    self.positions = positions
    var identifiers: [PersistentIdentifier] = []
    identifiers.reserveCapacity(positions.count)
    for position in positions { identifiers.append(rows[position].identifier) }
    let ties = SortColumn.order(of: identifiers)
    isInOrder =
      terms.isEmpty && positions.indices.dropFirst().allSatisfy { ties($0 - 1, $0) < 0 }
    let orders = try terms.map { term in
      let read = try reader(term.value)
      return SortColumn.order(
        of: try positions.map { try read(rows[$0]) },
        isReversed: term.isReversed
      )
    }
    precedes = Self.chained(orders + [ties])
  }

  // Usually there are one or two terms: a loop over terms would cost more than the comparisons.
  private static func chained(_ orders: [SortColumn.Order]) -> (Int, Int) -> Bool {
    let (first, rest) = (orders[0], orders.dropFirst())
    if rest.isEmpty { return { first($0, $1) < 0 } }
    let next = chained(Array(rest))
    return { a, b in
      let order = first(a, b)
      return order == 0 ? next(a, b) : order < 0
    }
  }

  func first(_ count: Int) -> [Int] {
    if isInOrder { return Array(positions.prefix(count)) }
    guard count > 0 else { return [] }
    let order =
      count < 1_000 && count < positions.count / 8
      ? positions.indices.smallest(count, by: precedes)
      : positions.indices.sorted(by: precedes)
    return order.prefix(count).map { positions[$0] }
  }
}

/// The values of one sort term for all rows, as plain numbers or strings if possible.
private enum SortColumn {
  typealias Order = (Int, Int) -> Int

  /// Returns the order of two rows by position: negative, zero or positive.
  static func order(of values: [StoreValue], isReversed: Bool) -> Order {
    let sign = isReversed ? -1 : 1
    // The values are mostly of the kind of the first.
    switch values.first {
    case .integer: if let list = integers(values) { return order(list, sign) }
    case .double, .date: if let list = doubles(values) { return order(list, sign) }
    case .string:
      if let list = texts(values) { return { sign * TextOrder.order(list[$0], list[$1]) } }
    default: break
    }
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
    list(values) { if case .integer(let number) = $0 { number } else { nil } }
  }

  // NaN is left to the mixed kind, which defines its position.
  private static func doubles(_ values: [StoreValue]) -> [Double]? {
    list(values) { value in
      switch value {
      case .double(let number) where !number.isNaN: number
      case .date(let date) where !date.timeIntervalSinceReferenceDate.isNaN:
        date.timeIntervalSinceReferenceDate
      default: nil
      }
    }
  }

  private static func texts(_ values: [StoreValue]) -> [String]? {
    list(values) { if case .string(let text) = $0 { text } else { nil } }
  }

  /// Reads all values, or returns `nil` at the first that is of another kind.
  @inline(__always)
  private static func list<T>(_ values: [StoreValue], _ read: (StoreValue) -> T?) -> [T]? {
    var list: [T] = []
    list.reserveCapacity(values.count)
    for value in values {
      guard let item = read(value) else { return nil }
      list.append(item)
    }
    return list
  }
}
