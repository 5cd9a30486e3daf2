import Foundation

/// The order of strings: by the scalars of their canonical composed forms, with equality by
/// canonical equivalence.
///
/// Swift's `<` is meant to be this order, but is not always. With "é" in two scalars, neither `"é"
/// < "é0"` nor the reverse holds. The Kelvin sign equals "K" but is ordered after "K0". With such
/// an inconsistent order, each sorting method has a different result, and no index can be
/// maintained.
package enum TextOrder {
  /// Returns a negative number, zero or a positive number.
  package static func order(_ lhs: String, _ rhs: String) -> Int {
    if let order = plainOrder(lhs, rhs) { return order }
    if lhs.comparable == rhs.comparable { return 0 }
    let (first, second) = (lhs.composed.utf8, rhs.composed.utf8)
    return first.lexicographicallyPrecedes(second) ? -1 : 1
  }

  /// Returns whether strings are canonically equivalent, as Swift's `==` does.
  ///
  /// - Complexity: O(*n*) in the length, whatever their combining marks are, and usually in that of
  ///   the common prefix.
  @inline(__always)
  package static func areEqual(_ lhs: String, _ rhs: String) -> Bool {
    if max(lhs.utf8.count, rhs.utf8.count) <= CombiningMarks.shortSize { return lhs == rhs }
    return areEqualTexts(lhs, rhs)
  }

  @inline(never)
  private static func areEqualTexts(_ lhs: String, _ rhs: String) -> Bool {
    if let order = plainOrder(lhs, rhs) { return order == 0 }
    return lhs.comparable == rhs.comparable
  }

  /// Returns the order, if the bytes decide it, or `nil` otherwise.
  ///
  /// The bytes decide it if two conditions hold. The first difference is between ASCII characters,
  /// or one string is a prefix of the other. No following scalar could compose with the preceding
  /// one. The first composing scalar is U+0300, whose UTF-8 starts with 0xCC.
  private static func plainOrder(_ lhs: String, _ rhs: String) -> Int? {
    let order = lhs.utf8.withContiguousStorageIfAvailable { first in
      rhs.utf8.withContiguousStorageIfAvailable { second -> Int? in
        let shorter = min(first.count, second.count)
        var index = 0
        while index < shorter, first[index] == second[index] { index += 1 }
        if index == shorter {
          if first.count == second.count { return 0 }
          let next = first.count > shorter ? first[index] : second[index]
          return next < 0xCC && next & 0xC0 != 0x80 ? (first.count < second.count ? -1 : 1) : nil
        }
        guard isSettled(first, index), isSettled(second, index) else { return nil }
        return first[index] < second[index] ? -1 : 1
      }
    }
    return order.flatMap { $0 }.flatMap { $0 }
  }

  private static func isSettled(_ bytes: UnsafeBufferPointer<UInt8>, _ index: Int) -> Bool {
    bytes[index] < 0x80 && (index + 1 == bytes.count || bytes[index + 1] < 0xCC)
  }
}
