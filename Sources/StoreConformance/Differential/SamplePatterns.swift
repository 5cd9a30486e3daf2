import StoreProtocol

/// The regular expressions and searches that random queries use.
public enum SamplePatterns {
  /// The expressions.
  static let all = ["a+b", "^[A-Z]", "[0-9]+", "^$", "m.*h", "é"].map(pattern)

  /// The full-text searches.
  static let searches = [
    "a", "rome", "Rome beach", "\"rome beach\"", "r* -beach", "sea*", "-a", "", "\u{E9}", "%", "ss",
  ]

  /// Returns the expression with a source; an invalid one matches nothing.
  public static func pattern(_ source: String) -> QueryPattern {
    QueryPattern(source: source) { text in
      guard let expression = try? Regex(source) else { return false }
      return text.firstMatch(of: expression) != nil
    }
  }
}
