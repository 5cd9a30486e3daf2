import Foundation

/// The order of two values.
package enum QueryOrdering: Sendable {
  /// The first is less than, equal to, or greater than the second.
  case less, equal, greater
  /// None of the three, as with NaN, or with values of different kinds.
  case unordered

  /// Compares with Swift's `<` and `==`.
  @inline(__always)
  init<T: Comparable>(_ lhs: T, _ rhs: T) {
    self = lhs < rhs ? .less : lhs == rhs ? .equal : lhs > rhs ? .greater : .unordered
  }

  var reversed: QueryOrdering {
    switch self {
    case .less: .greater
    case .greater: .less
    case .equal, .unordered: self
    }
  }
}

extension StoreValue {
  /// Returns whether Swift's `==` holds for the values of two stored forms.
  ///
  /// Strings are equal by canonical equivalence. NaN is not equal to itself, and -0.0 equals 0.0.
  /// Objects are equal if their stores and keys are, because an identifier may name a superentity.
  /// An attribute of type `PersistentIdentifier` equals the identifier that it encodes. Nil equals
  /// nil.
  package func isEqual(to other: StoreValue) -> Bool {
    switch (self, other) {
    case (.null, .null): true
    case (.bool(let a), .bool(let b)): a == b
    case (.string(let a), .string(let b)): TextOrder.areEqual(a, b)
    case (.date(let a), .date(let b)): a == b
    case (.data(let a), .data(let b)): a == b
    case (.uuid(let a), .uuid(let b)): a == b
    case (.identifier(let a), .identifier(let b)): a.hasStoreAndKey(of: b)
    case (.identifier(let a), .composite): a == other.encodedIdentifier
    case (.composite, .identifier(let b)): b == encodedIdentifier
    case (.composite(let a), .composite(let b)): Self.areEqual(a, b)
    case (.integer(let a), .integer(let b)): a == b
    case (.double(let a), .double(let b)): a == b
    default:
      if let a = elementsOfList, let b = other.elementsOfList {
        a.elementsEqual(b) { $0.isEqual(to: $1) }
      } else {
        numericOrdering(other) == .equal
      }
    }
  }

  /// Returns the order of two stored forms by Swift's `<` and `==`; strings are in the order that
  /// `<` is meant to have (``TextOrder``).
  package func ordering(_ other: StoreValue) -> QueryOrdering {
    switch (self, other) {
    case (.string(let a), .string(let b)): QueryOrdering(TextOrder.order(a, b), 0)
    case (.date(let a), .date(let b)): QueryOrdering(a, b)
    case (.uuid(let a), .uuid(let b)): QueryOrdering(a, b)
    case (.identifier(let a), .identifier(let b)):
      a.hasStoreAndKey(of: b) ? .equal : QueryOrdering(a, b)
    case (.bool(let a), .bool(let b)): a == b ? .equal : b ? .less : .greater
    case (.data(let a), .data(let b)):
      a == b ? .equal : a.lexicographicallyPrecedes(b) ? .less : .greater
    default: numericOrdering(other)
    }
  }

  private func numericOrdering(_ other: StoreValue) -> QueryOrdering {
    switch (self, other) {
    case (.integer(let a), .integer(let b)): QueryOrdering(a, b)
    case (.double(let a), .double(let b)): QueryOrdering(a, b)
    case (.unsigned(let a), .unsigned(let b)): QueryOrdering(a, b)
    case (.integer(let a), .unsigned(let b)): a < 0 ? .less : QueryOrdering(UInt64(a), b)
    case (.integer(let a), .double(let b)): Self.ordering(a, b)
    case (.unsigned(let a), .double(let b)): Self.ordering(a, b)
    case (.decimal(let a), .decimal(let b)): Self.ordering(a, b)
    case (.decimal(let a), .integer(let b)): Self.ordering(a, Decimal(b))
    case (.decimal(let a), .unsigned(let b)): Self.ordering(a, Decimal(b))
    case (.decimal(let a), .double(let b)):
      QueryOrdering(NSDecimalNumber(decimal: a).doubleValue, b)
    case (.unsigned, .integer), (.double, .integer), (.double, .unsigned), (.integer, .decimal),
      (.unsigned, .decimal), (.double, .decimal):
      other.numericOrdering(self).reversed
    default: .unordered
    }
  }

  // Foundation's `<` orders NaN before any other number, and its `==` finds NaN equal to itself.
  private static func ordering(_ a: Decimal, _ b: Decimal) -> QueryOrdering {
    a == b ? .equal : a < b ? .less : .greater
  }

  private static func ordering<I: FixedWidthInteger>(_ a: I, _ b: Double) -> QueryOrdering {
    if b.isNaN { return .unordered }
    let whole = b.rounded(.towardZero)
    guard let integer = I(exactly: whole) else { return b < 0 ? .greater : .less }
    return a == integer ? QueryOrdering(whole, b) : QueryOrdering(a, integer)
  }

  // Members that are nil may be absent from a composite, and dictionaries have no order.
  private static func areEqual(_ a: [Member], _ b: [Member]) -> Bool {
    if a.count == b.count, zip(a, b).allSatisfy({ $0.name == $1.name }) {
      return zip(a, b).allSatisfy { $0.value.isEqual(to: $1.value) }
    }
    let first = a.filter { !$0.value.isNull }
    let second = Dictionary(firstOf: b.lazy.filter { !$0.value.isNull }.map { ($0.name, $0.value) })
    return first.count == second.count
      && first.allSatisfy { member in second[member.name]?.isEqual(to: member.value) ?? false }
  }
}
