import StoreProtocol

/// The keys of a group: values are identical if `==` holds or if both are NaN.
package struct GroupKey: Hashable {
  package let values: [StoreValue]

  package init(_ values: [StoreValue]) { self.values = values }

  package static func == (lhs: GroupKey, rhs: GroupKey) -> Bool {
    lhs.values.elementsEqual(rhs.values) {
      $0.isEqual(to: $1) || StoreValue.sortOrder($0, $1) == 0
    }
  }

  package func hash(into hasher: inout Hasher) {
    for value in values {
      if value.isNotANumber {
        hasher.combine(Double.nan.bitPattern)
      } else {
        HashedValue(value).hash(into: &hasher)
      }
    }
  }

  /// Returns the order of groups that no term decides.
  package static func precedes(_ lhs: GroupKey, _ rhs: GroupKey) -> Bool {
    for (a, b) in zip(lhs.values, rhs.values) {
      let order = StoreValue.sortOrder(a, b)
      if order != 0 { return order < 0 }
    }
    return false
  }
}
