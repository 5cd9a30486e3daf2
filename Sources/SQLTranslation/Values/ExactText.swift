import StoreProtocol

/// Strings whose bytes compare in SQL as the strings compare in Swift.
///
/// Swift compares by canonical equivalence and orders by the scalars of the composed form. The
/// bytes of UTF-8 order as scalars do. Therefore only strings in composed form compare exactly as
/// their bytes.
package enum ExactText {
  /// The first byte of U+0300, the first scalar that a composition can need.
  package static let firstCombiningByte: UInt8 = 0xCC

  /// Whether a string is in composed form.
  ///
  /// - Complexity: O(*n*).
  package static func isComposed(_ text: String) -> Bool {
    text.precedesComposition || text.composed.utf8.elementsEqual(text.utf8)
  }

  /// Returns the composed form, in which a value of a query is bound.
  package static func composed(_ text: String) -> String {
    isComposed(text) ? text : text.composed
  }
}
