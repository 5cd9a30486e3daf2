/// Joins words with a space around each.
struct WordBuilder {
  static let space: UInt8 = 0x20

  /// The maximum length of a word, in bytes.
  ///
  /// A longer word is split into several, because indexes would truncate it.
  private static let longestWord = 128

  private let bytes: UnsafeMutableBufferPointer<UInt8>
  private var count = 1
  private var length = 0

  /// Returns the maximum capacity for the words of a string with a number of bytes.
  ///
  /// A scalar that is its own word takes three bytes and a space, and a long word is split.
  /// Everything else keeps its length, except simple scalars that double it.
  static func capacity(for count: Int) -> Int { 2 * count + 2 }

  /// Creates a builder in memory with that capacity.
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

  /// Adds the folded form of a scalar; returns whether it is known.
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

  /// Ends the last word and returns the number of bytes.
  mutating func finished() -> Int {
    endWord()
    return count
  }
}
