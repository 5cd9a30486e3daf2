/// Puts words together with a space around each.
struct WordBuilder {
  static let space: UInt8 = 0x20

  /// The longest word.
  ///
  /// A longer one is taken for several, since indexes would cut it.
  private static let longestWord = 128

  private let bytes: UnsafeMutableBufferPointer<UInt8>
  private var count = 1
  private var length = 0

  /// The room that the words of a text of some bytes take at the most.
  ///
  /// A scalar that is a word of its own takes three bytes and a space, and a long word is cut; all
  /// else is no longer than it was, but for simple scalars that are twice as long.
  static func capacity(for count: Int) -> Int { 2 * count + 2 }

  /// Begins in memory that has the capacity.
  init(_ bytes: UnsafeMutableBufferPointer<UInt8>) {
    self.bytes = bytes
    bytes[0] = Self.space
  }

  @inline(__always)
  mutating func append(_ byte: UInt8) {
    if length == Self.longestWord { endWord() }
    bytes[count] = byte
    count += 1
    length += 1
  }

  mutating func append(_ scalar: Unicode.Scalar) {
    if length == Self.longestWord { endWord() }
    for byte in UTF8.encode(scalar) ?? UTF8.encodedReplacementCharacter {
      bytes[count] = byte
      count += 1
    }
    length += 1
  }

  /// Adds what became of a scalar; tells whether that is known.
  @inline(__always)
  mutating func append(_ folded: SimpleScalars.Folded) -> Bool {
    switch folded {
    case .word(let scalar): append(scalar)
    case .twoLetters(let first, let second):
      append(first)
      append(second)
    case .ownWord(let scalar):
      endWord()
      append(scalar)
      endWord()
    case .separator: endWord()
    case .nothing: break
    case .unknown: return false
    }
    return true
  }

  @inline(__always)
  mutating func endWord() {
    guard length > 0 else { return }
    bytes[count] = Self.space
    count += 1
    length = 0
  }

  /// Ends the last word and gives the number of bytes.
  mutating func finished() -> Int {
    endWord()
    return count
  }
}
