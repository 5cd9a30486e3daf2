/// The words of a string in the form in which searches compare them, with a space around each.
///
/// A word is a run of letters, marks and digits. Case and diacritics are folded by rules that do
/// not depend on a locale. In scripts without spaces between words, each character is a word.
/// Stores may keep this form in an index: a phrase that is found in it is found in the string.
package struct FoldedWords {
  /// The version of the rules; stores rebuild their indexes when it changes.
  package static let version = 1

  /// The UTF-8 bytes of the words, each preceded by a space and the last one followed by one.
  package let bytes: [UInt8]

  /// Finds the words of a string.
  ///
  /// - Complexity: O(*n*) in the length of the string.
  package init(_ text: String) {
    bytes = Self.plain(text) ?? Self.composed(WordFolding.folded(text))
  }

  /// Whether the string has no words.
  package var isEmpty: Bool { bytes.count <= 1 }

  /// The words, separated by spaces.
  package var text: String {
    isEmpty ? "" : String(decoding: bytes.dropFirst().dropLast(), as: UTF8.self)
  }

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
      // The phrase also starts with a space.
      var index = 1
      while index < phrase.count, words[start + index] == phrase[index] { index += 1 }
      if index == phrase.count { return true }
    }
    return false
  }

  /// Returns the words of a string of simple scalars, or `nil` if it contains others.
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
        // The bytes of a string are valid: the start of a two- or three-byte scalar is followed by
        // the rest.
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

  /// Returns the words of a string that was folded and composed.
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
