/// Words that a search wants one after the other, the last one perhaps only begun.
package struct SearchPhrase: Hashable, Sendable {
  /// The words with a space between them.
  package let text: String
  /// Whether the last word may go on.
  package let isPrefix: Bool
  /// What to look for in the form that ``FoldedWords`` gives a text.
  let bytes: [UInt8]

  /// Takes the words of a text, nil where it has none.
  init?(_ text: String, isPrefix: Bool) {
    let words = FoldedWords(text)
    guard !words.isEmpty else { return nil }
    self.text = words.text
    self.isPrefix = isPrefix
    bytes = isPrefix ? Array(words.bytes.dropLast()) : words.bytes
  }
}
