import StoreProtocol

/// A stored value in the order of stores.
struct OrderedValue: Comparable, Sendable {
  let value: StoreValue

  static func == (lhs: Self, rhs: Self) -> Bool {
    StoreValue.sortOrder(lhs.value, rhs.value) == 0
  }

  static func < (lhs: Self, rhs: Self) -> Bool { StoreValue.sortOrder(lhs.value, rhs.value) < 0 }
}
