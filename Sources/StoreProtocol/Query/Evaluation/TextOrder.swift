import Foundation

/// The order of texts: by the scalars of their canonical (composed) form, equal where that is equal.
///
/// Swift's `<` is meant to be this and is not always: with "é" in two scalars neither
/// `"é" < "é0"` nor the reverse holds, and the Kelvin sign equals "K" but comes after "K0". An order
/// with such holes sorts differently by every method, and no index can be kept in it.
package enum TextOrder {
  /// Negative, zero or positive.
  package static func order(_ lhs: String, _ rhs: String) -> Int {
    if let order = plainOrder(lhs, rhs) { return order }
    if lhs == rhs { return 0 }
    let first = lhs.precomposedStringWithCanonicalMapping.utf8
    let second = rhs.precomposedStringWithCanonicalMapping.utf8
    return first.lexicographicallyPrecedes(second) ? -1 : 1
  }

  /// The order where the bytes decide it.
  ///
  /// They do where the first difference is one of ASCII characters, or one text begins with the
  /// other, and no scalar follows that could compose with what stands before it: the first of
  /// these is U+0300, whose UTF-8 begins with 0xCC.
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
