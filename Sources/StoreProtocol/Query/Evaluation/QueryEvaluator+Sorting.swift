import Foundation

extension QueryEvaluator {
  /// The order that sort terms and then the keys give.
  public func sorted(_ rows: [Row], by terms: [QuerySort]) throws -> [Row] {
    try sorted(rows, by: terms, first: nil)
  }

  /// The first rows of the order, or all.
  func sorted(_ rows: [Row], by terms: [QuerySort], first count: Int?) throws -> [Row] {
    let identifiers = rows.map(\.identifier)
    if terms.isEmpty,
      identifiers.indices.dropFirst().allSatisfy({ index in
        identifiers[index - 1] < identifiers[index]
      })
    {
      return rows
    }
    let columns = try terms.map { term in
      let reader = try reader(of: term.value)
      return SortColumn(try rows.map(reader), isReversed: term.isReversed)
    }
    let order = SortOrder(columns: columns, identifiers: identifiers)
    return order.first(count).map { rows[$0] }
  }
}

/// The order of rows, given by their positions.
private struct SortOrder {
  let columns: [SortColumn]
  let identifiers: [PersistentIdentifier]

  func first(_ count: Int?) -> [Int] {
    let count = min(count ?? identifiers.count, identifiers.count)
    guard count > 0 else { return [] }
    guard count < 1_000, count < identifiers.count / 8 else {
      return identifiers.indices.sorted(by: precedes)
    }
    return smallest(count)
  }

  /// Keeps the smallest in order while looking at each once: most are not among them.
  private func smallest(_ count: Int) -> [Int] {
    var kept: [Int] = []
    for candidate in identifiers.indices {
      if kept.count == count {
        guard precedes(candidate, kept[count - 1]) else { continue }
        kept.removeLast()
      }
      var (low, high) = (0, kept.count)
      while low < high {
        let middle = (low + high) / 2
        if precedes(candidate, kept[middle]) { high = middle } else { low = middle + 1 }
      }
      kept.insert(candidate, at: low)
    }
    return kept
  }

  private func precedes(_ first: Int, _ second: Int) -> Bool {
    for column in columns {
      let order = column.order(first, second)
      if order != 0 { return order < 0 }
    }
    return identifiers[first] < identifiers[second]
  }
}

/// The values of one sort term for all rows, as plain numbers or texts where they are that.
private struct SortColumn {
  private enum Values {
    case integers([Int64])
    case doubles([Double])
    case texts([String])
    case mixed([StoreValue])
  }

  private let values: Values
  private let isReversed: Bool

  init(_ values: [StoreValue], isReversed: Bool) {
    self.isReversed = isReversed
    self.values =
      Self.integers(values) ?? Self.doubles(values) ?? Self.texts(values) ?? .mixed(values)
  }

  func order(_ first: Int, _ second: Int) -> Int {
    let order =
      switch values {
      case .integers(let list): Self.order(list[first], list[second])
      case .doubles(let list): Self.order(list[first], list[second])
      case .texts(let list): Self.order(list[first], list[second])
      case .mixed(let list): StoreValue.sortOrder(list[first], list[second])
      }
    return isReversed ? -order : order
  }

  @inline(__always)
  private static func order<T: Comparable>(_ first: T, _ second: T) -> Int {
    first < second ? -1 : first == second ? 0 : 1
  }

  private static func integers(_ values: [StoreValue]) -> Values? {
    var list: [Int64] = []
    list.reserveCapacity(values.count)
    for value in values {
      guard case .integer(let number) = value else { return nil }
      list.append(number)
    }
    return .integers(list)
  }

  // NaN is left to the mixed kind, which knows its place.
  private static func doubles(_ values: [StoreValue]) -> Values? {
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
    return .doubles(list)
  }

  private static func texts(_ values: [StoreValue]) -> Values? {
    var list: [String] = []
    list.reserveCapacity(values.count)
    for value in values {
      guard case .string(let text) = value else { return nil }
      list.append(text)
    }
    return .texts(list)
  }
}
