import Foundation

/// Texts whose bytes compare in SQL as the texts compare in Swift.
///
/// Swift compares by canonical equivalence and orders by the scalars of the composed form; bytes of
/// UTF-8 order as scalars do. So texts in composed form compare exactly as bytes, and others not.
package enum ExactText {
  /// The first byte of U+0300, the first scalar that a composition can need.
  package static let firstCombiningByte: UInt8 = 0xCC

  /// Whether a text is in composed form.
  ///
  /// - Complexity: O(*n*); texts below U+0300, which are composed whatever they hold, are only
  ///   scanned.
  package static func isComposed(_ text: String) -> Bool {
    if text.utf8.allSatisfy({ $0 < firstCombiningByte }) { return true }
    return text.precomposedStringWithCanonicalMapping.utf8.elementsEqual(text.utf8)
  }

  /// The composed form, in which a value of a query is bound.
  package static func composed(_ text: String) -> String {
    isComposed(text) ? text : text.precomposedStringWithCanonicalMapping
  }
}
