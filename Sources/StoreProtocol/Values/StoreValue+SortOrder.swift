extension StoreValue {
  /// Orders any two values, for sort terms and ties: negative, zero or positive.
  ///
  /// Nil comes first, and NaN after all numbers; otherwise the order is Swift's `<`. Values of
  /// different kinds, which no property mixes, are ordered by kind.
  package static func sortOrder(_ lhs: StoreValue, _ rhs: StoreValue) -> Int {
    switch lhs.ordering(rhs) {
    case .less: -1
    case .equal: 0
    case .greater: 1
    case .unordered: unorderedOrder(lhs, rhs)
    }
  }

  private static func unorderedOrder(_ lhs: StoreValue, _ rhs: StoreValue) -> Int {
    let ranks = (lhs.sortRank, rhs.sortRank)
    if ranks.0 != ranks.1 { return ranks.0 < ranks.1 ? -1 : 1 }
    if case .composite(let a) = lhs, case .composite(let b) = rhs { return sortOrder(a, b) }
    if let a = lhs.elementsOfList, let b = rhs.elementsOfList { return sortOrder(a, b) }
    return (lhs.isNotANumber ? 1 : 0) - (rhs.isNotANumber ? 1 : 0)
  }

  private static func sortOrder(_ lhs: [StoreValue], _ rhs: [StoreValue]) -> Int {
    for (a, b) in zip(lhs, rhs) {
      let order = sortOrder(a, b)
      if order != 0 { return order }
    }
    return lhs.count == rhs.count ? 0 : lhs.count < rhs.count ? -1 : 1
  }

  private static func sortOrder(_ lhs: [Member], _ rhs: [Member]) -> Int {
    for (a, b) in zip(lhs, rhs) {
      if a.name != b.name { return a.name < b.name ? -1 : 1 }
      let order = sortOrder(a.value, b.value)
      if order != 0 { return order }
    }
    return lhs.count == rhs.count ? 0 : lhs.count < rhs.count ? -1 : 1
  }

  /// Whether this is a floating-point number or a date that is NaN.
  package var isNotANumber: Bool {
    switch self {
    case .double(let value): value.isNaN
    case .date(let value): value.timeIntervalSinceReferenceDate.isNaN
    default: false
    }
  }

  private var sortRank: Int {
    switch self {
    case .null: 0
    case .bool: 1
    case .integer, .unsigned, .double, .decimal: 2
    case .string: 3
    case .date: 4
    case .data: 5
    case .uuid: 6
    case .identifier: 7
    case .identifiers, .array: 8
    case .composite: 9
    }
  }
}
