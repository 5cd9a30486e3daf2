/// A search for words in strings, as a person types it.
///
/// ```swift
/// let search = TextSearch("sea \"hot spring\" beach* -rain")
/// let places = #Predicate<Place> { $0.notes.contains(search) }
/// ```
///
/// A string matches if it contains all words and phrases, in any order, and none that follows a
/// minus sign. Words are compared whole, ignoring case and diacritics. A trailing asterisk matches
/// all words with that prefix, and `OR` between two terms matches either. A word is a run of
/// letters and digits: `hot-spring` is a phrase of two words. Every input is valid: characters
/// without a meaning are treated as words or ignored. A search without words matches every string.
///
/// Every store returns the same result. A store with a word index for attributes with the option
/// `fullText`, such as SQLiteStore, does not read all strings.
public struct TextSearch: Hashable, Sendable {
  /// The search as typed.
  package let text: String
  /// The groups of phrases; a string must contain one phrase of each group.
  package let groups: [[SearchPhrase]]
  /// The phrases that a string must not contain.
  package let excluded: [SearchPhrase]

  /// Creates a search from what a person typed.
  public init(_ text: String) {
    let parser = SearchParser(text)
    self.text = text
    groups = parser.groups
    excluded = parser.excluded
  }

  /// Returns whether a string matches.
  ///
  /// - Complexity: O(*n* · *m*) in the length of the string and the number of terms.
  package func isFound(in text: String) -> Bool {
    if groups.isEmpty, excluded.isEmpty { return true }
    let words = FoldedWords(text)
    return groups.allSatisfy { $0.contains(where: words.contains) }
      && !excluded.contains(where: words.contains)
  }
}

extension TextSearch: Codable {
  /// Decodes the search from a string.
  public init(from decoder: any Decoder) throws {
    self.init(try decoder.singleValueContainer().decode(String.self))
  }

  /// Encodes the search as a string.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(text)
  }
}

extension TextSearch: CustomStringConvertible {
  /// The search as typed.
  public var description: String { text }
}

extension StringProtocol {
  /// Returns whether this string matches a search, also in predicates.
  public func contains(_ search: TextSearch) -> Bool { search.isFound(in: String(self)) }
}
