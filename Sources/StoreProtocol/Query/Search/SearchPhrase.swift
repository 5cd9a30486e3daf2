/// Consecutive words of a search, the last of which may be a prefix.
package struct SearchPhrase: Hashable, Sendable {
  /// The words, separated by spaces.
  package let text: String
  /// Whether the last word is a prefix.
  package let isPrefix: Bool
  /// The bytes to find in the form of ``FoldedWords``.
  let bytes: [UInt8]

  /// Creates a phrase from the words of a string, or returns `nil` if it has none.
  init?(_ text: String, isPrefix: Bool) {
    let words = FoldedWords(text)
    guard !words.isEmpty else { return nil }
    self.text = words.text
    self.isPrefix = isPrefix
    bytes = isPrefix ? Array(words.bytes.dropLast()) : words.bytes
  }
}
