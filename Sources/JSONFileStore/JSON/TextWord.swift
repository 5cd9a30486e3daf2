/// Tests of text that process eight bytes at a time.
///
/// The lowest byte of a word is the first byte of the text. In each test, the lowest set bit is
/// exact, because borrows and carries only propagate upward (a known technique).
enum TextWord {
  private static let ones: UInt64 = 0x0101_0101_0101_0101
  private static let highs: UInt64 = 0x8080_8080_8080_8080

  /// Loads the eight bytes at an address.
  @inline(__always)
  static func load(_ pointer: UnsafePointer<UInt8>) -> UInt64 {
    UnsafeRawPointer(pointer).loadUnaligned(as: UInt64.self).littleEndian
  }

  /// Returns the number of bytes of a word before a quote, a backslash or a control character.
  @inline(__always)
  static func plainCount(_ word: UInt64) -> Int {
    (special(word) & highs).trailingZeroBitCount / 8
  }

  /// Returns the number of bytes of a word before one of these or a non-ASCII byte.
  @inline(__always)
  static func plainASCIICount(_ word: UInt64) -> Int {
    ((special(word) | word) & highs).trailingZeroBitCount / 8
  }

  /// Returns whether a word contains none of these.
  @inline(__always)
  static func isPlainASCII(_ word: UInt64) -> Bool { (special(word) | word) & highs == 0 }

  @inline(__always)
  private static func special(_ word: UInt64) -> UInt64 {
    let quotes = word ^ (ones &* 0x22)
    let slashes = word ^ (ones &* 0x5C)
    return ((quotes &- ones) & ~quotes) | ((slashes &- ones) & ~slashes)
      | ((word &- (ones &* 0x20)) & ~word)
  }

  /// Returns the number of bytes of a word before a byte that is not a digit.
  @inline(__always)
  static func digitCount(_ word: UInt64) -> Int {
    let digits = word ^ (ones &* 0x30)
    return (((digits &+ (ones &* 0x76)) | digits) & highs).trailingZeroBitCount / 8
  }

  /// Returns the number in the first bytes of a word, at most eight, which are digits.
  @inline(__always)
  static func number(_ word: UInt64, digits count: Int) -> UInt64 {
    // The digits move to the high end, with zeros before them; then pairs, fours and all eight are
    // combined.
    var value = (word ^ (ones &* 0x30)) << UInt64(64 - 8 * count)
    value = (value &* 2561) >> 8 & 0x00FF_00FF_00FF_00FF
    value = (value &* 6_553_601) >> 16 & 0x0000_FFFF_0000_FFFF
    return (value &* 42_949_672_960_001) >> 32
  }

  /// Returns whether a byte of a string must be escaped in JSON.
  @inline(__always)
  static func mustEscape(_ byte: UInt8) -> Bool {
    byte < 0x20 || byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\")
  }
}
