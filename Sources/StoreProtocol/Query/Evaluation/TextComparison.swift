import Foundation

/// The comparisons of texts that predicates offer, the same for every store.
public enum TextComparison {
  /// Whether a text contains another, character by character.
  ///
  /// A character is a base letter with all its marks: "é" does not contain "e".
  public static func contains(_ text: String, _ part: String) -> Bool {
    PlainText.contains(text, part, ignoringCase: false) ?? containsElements(text, part)
  }

  /// Whether a text starts with another, character by character.
  public static func starts(_ text: String, with part: String) -> Bool {
    PlainText.starts(text, with: part) ?? text.starts(with: part)
  }

  /// Whether a text contains another, case and diacritics disregarded.
  public static func localizedStandardContains(_ text: String, _ part: String) -> Bool {
    guard PlainText.isCasePlain else { return text.localizedStandardContains(part) }
    return PlainText.contains(text, part, ignoringCase: true)
      ?? text.localizedStandardContains(part)
  }

  /// The order of two texts, case disregarded: -1, 0 or 1.
  public static func caseInsensitiveCompare(_ lhs: String, _ rhs: String) -> Int {
    PlainText.order(lhs, rhs) ?? lhs.caseInsensitiveCompare(rhs).rawValue
  }

  /// The order of two texts in the current locale: -1, 0 or 1.
  public static func localizedCompare(_ lhs: String, _ rhs: String) -> Int {
    lhs.localizedCompare(rhs).rawValue
  }

  // Generic, since String has a second `contains` in Foundation that answers differently.
  private static func containsElements<Base: Collection, Part: Collection>(
    _ base: Base,
    _ part: Part
  ) -> Bool where Base.Element: Equatable, Base.Element == Part.Element {
    base.contains(part)
  }
}
