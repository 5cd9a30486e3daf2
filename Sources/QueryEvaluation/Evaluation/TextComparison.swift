import Foundation
import StoreProtocol

/// The string comparisons of predicates, identical for every store.
public enum TextComparison {
  /// Returns whether a string contains another, character by character.
  ///
  /// A character is a base letter with all its marks: "é" does not contain "e".
  public static func contains(_ text: String, _ part: String) -> Bool {
    PlainText.contains(text, part, ignoringCase: false)
      ?? containsElements(text.comparable, part.comparable)
  }

  /// Returns whether a string starts with another, character by character.
  public static func starts(_ text: String, with part: String) -> Bool {
    PlainText.starts(text, with: part) ?? text.comparable.starts(with: part.comparable)
  }

  /// Returns whether a string contains another, ignoring case and diacritics.
  public static func localizedStandardContains(_ text: String, _ part: String) -> Bool {
    if PlainText.isCasePlain,
      let contains = PlainText.contains(text, part, ignoringCase: true)
    {
      return contains
    }
    return text.searchable.localizedStandardContains(part.searchable)
  }

  /// Returns the order of two strings, ignoring case: -1, 0 or 1.
  public static func caseInsensitiveCompare(_ lhs: String, _ rhs: String) -> Int {
    PlainText.order(lhs, rhs)
      ?? lhs.comparable.caseInsensitiveCompare(rhs.comparable).rawValue
  }

  /// Returns the order of two strings in the current locale: -1, 0 or 1.
  public static func localizedCompare(_ lhs: String, _ rhs: String) -> Int {
    lhs.comparable.localizedCompare(rhs.comparable).rawValue
  }

  // Generic, because Foundation adds a second `contains` to String with a different result.
  private static func containsElements<Base: Collection, Part: Collection>(
    _ base: Base,
    _ part: Part
  ) -> Bool where Base.Element: Equatable, Base.Element == Part.Element {
    base.contains(part)
  }
}
