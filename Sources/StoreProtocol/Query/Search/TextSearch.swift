/// Words to look for in texts, as a person types them.
///
/// ```swift
/// let search = TextSearch("sea \"hot spring\" beach* -rain")
/// let places = #Predicate<Place> { $0.notes.contains(search) }
/// ```
///
/// A text matches when it has every word and phrase that is asked for, in any order, and none that
/// stands behind a minus. Words are compared whole, case and diacritics disregarded; a star lets a
/// word match all that begin with it, and `OR` between two terms asks for one of them. A word is a
/// run of letters and digits: `hot-spring` is the phrase of two words. Nothing that is typed is
/// wrong: what has no meaning is taken for words or left out, and a search without words finds
/// every text.
///
/// Every store gives the same answer. One that keeps an index of words for attributes with the
/// option `fullText`, as SQLiteStore does, gives it without reading all texts.
public struct TextSearch: Hashable, Sendable {
  /// What was asked for, as it was typed.
  public let text: String
  /// The phrases of which a text must have one in each group.
  package let groups: [[SearchPhrase]]
  /// The phrases of which a text must have none.
  package let excluded: [SearchPhrase]

  /// Creates a search from what a person typed.
  public init(_ text: String) {
    let parser = SearchParser(text)
    self.text = text
    groups = parser.groups
    excluded = parser.excluded
  }

  /// Whether a text matches.
  ///
  /// - Complexity: O(*n* · *m*) in the length of the text and the number of terms.
  public func isFound(in text: String) -> Bool {
    if groups.isEmpty, excluded.isEmpty { return true }
    let words = FoldedWords(text)
    return groups.allSatisfy { $0.contains(where: words.contains) }
      && !excluded.contains(where: words.contains)
  }

  /// Compares what was typed.
  public static func == (lhs: TextSearch, rhs: TextSearch) -> Bool { lhs.text == rhs.text }

  /// Hashes what was typed.
  public func hash(into hasher: inout Hasher) { hasher.combine(text) }
}

extension TextSearch: Codable {
  /// Reads what was typed.
  public init(from decoder: any Decoder) throws {
    self.init(try decoder.singleValueContainer().decode(String.self))
  }

  /// Writes what was typed, as a text.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(text)
  }
}

extension TextSearch: CustomStringConvertible {
  /// What was typed.
  public var description: String { text }
}

extension StringProtocol {
  /// Whether this text matches a search; the same is possible in predicates.
  public func contains(_ search: TextSearch) -> Bool { search.isFound(in: String(self)) }
}
