import Foundation

/// Decimal numbers as text with every digit.
package enum DecimalText {
  private static let locale = Locale(identifier: "en_US_POSIX")
  private static let characters = Set("+-.eE0123456789".utf8)

  package static func encoded(_ number: Decimal) -> String {
    number.isNaN ? "NaN" : number.description
  }

  /// Returns the number of a text, or `nil` if it is not a number; Foundation would parse a prefix.
  package static func decoded(_ text: String) -> Decimal? {
    if text == "NaN" { return .nan }
    guard text.utf8.allSatisfy(characters.contains) else { return nil }
    return Decimal(string: text, locale: locale)
  }
}
