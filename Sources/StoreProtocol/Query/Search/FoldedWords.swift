/// The words of a text in the form in which searches compare them, with a space around each.
///
/// A word is a run of letters, marks and digits. Case and diacritics are folded away, by rules that
/// depend on no locale. Scripts that write no spaces between words have each character for a word.
/// Stores may keep this form in an index of theirs: what finds a phrase in it finds it in the text.
package struct FoldedWords {
  /// The version of the rules; stores make their indexes anew when it changes.
  package static let version = 1

  /// The bytes of the words in UTF-8, each with a space before and the last with one after.
  package let bytes: [UInt8]

  /// Finds the words of a text.
  ///
  /// - Complexity: O(*n*) in the length of the text.
  package init(_ text: String) {
    bytes = Self.plain(text) ?? Self.composed(WordFolding.folded(text))
  }

  /// Whether the text has no word.
  package var isEmpty: Bool { bytes.count <= 1 }

  /// The words with a space between them.
  package var text: String {
    isEmpty ? "" : String(decoding: bytes.dropFirst().dropLast(), as: UTF8.self)
  }

  /// Whether a phrase stands among the words.
  package func contains(_ phrase: SearchPhrase) -> Bool {
    bytes.withUnsafeBufferPointer { words in
      phrase.bytes.withUnsafeBufferPointer { Self.contains(words, $0) }
    }
  }

  private static func contains(
    _ words: UnsafeBufferPointer<UInt8>,
    _ phrase: UnsafeBufferPointer<UInt8>
  ) -> Bool {
    guard phrase.count <= words.count else { return false }
    for start in 0...(words.count - phrase.count) where words[start] == WordBuilder.space {
      // The phrase begins with a space too.
      var index = 1
      while index < phrase.count, words[start + index] == phrase[index] { index += 1 }
      if index == phrase.count { return true }
    }
    return false
  }

  /// The words of a text of simple scalars alone, nil where there are others.
  private static func plain(_ text: String) -> [UInt8]? {
    var text = text
    return text.withUTF8 { bytes -> [UInt8]? in
      var isPlain = true
      let words = [UInt8](unsafeUninitializedCapacity: WordBuilder.capacity(for: bytes.count)) {
        var builder = WordBuilder($0)
        isPlain = addWords(of: bytes, to: &builder)
        $1 = builder.finished()
      }
      return isPlain ? words : nil
    }
  }

  private static func addWords(
    of bytes: UnsafeBufferPointer<UInt8>,
    to words: inout WordBuilder
  ) -> Bool {
    var index = 0
    while index < bytes.count {
      let byte = bytes[index]
      switch byte {
      case 0x61...0x7A, 0x30...0x39: words.append(byte)
      case 0x41...0x5A: words.append(byte | 0x20)
      case ..<0x80: words.endWord()
      default:
        // A string's bytes are valid: what begins a scalar of two or three is followed by the rest.
        guard byte < 0xF0 else { return false }
        let isShort = byte < 0xE0
        let last = UInt32(bytes[index + (isShort ? 1 : 2)] & 0x3F)
        let value =
          isShort
          ? UInt32(byte & 0x1F) << 6 | last
          : UInt32(byte & 0x0F) << 12 | UInt32(bytes[index + 1] & 0x3F) << 6 | last
        guard words.append(SimpleScalars.folded(value)) else { return false }
        index += isShort ? 1 : 2
      }
      index += 1
    }
    return true
  }

  /// The words of a text that was folded and composed.
  private static func composed(_ text: String) -> [UInt8] {
    let capacity = WordBuilder.capacity(for: text.utf8.count)
    return [UInt8](unsafeUninitializedCapacity: capacity) { buffer, count in
      var words = WordBuilder(buffer)
      for scalar in text.unicodeScalars {
        if scalar.isWordOfItsOwn {
          words.endWord()
          words.append(scalar)
          words.endWord()
        } else if scalar.isPartOfWord {
          words.append(scalar)
        } else {
          words.endWord()
        }
      }
      count = words.finished()
    }
  }
}
