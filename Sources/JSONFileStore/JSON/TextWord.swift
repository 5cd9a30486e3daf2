/// What of a text can be passed over eight bytes at a time.
///
/// A word has the first byte of a text as its lowest. In each of the tests the lowest bit that is set
/// is exact: borrows and carries only go upwards (a known trick on words).
enum TextWord {
  private static let ones: UInt64 = 0x0101_0101_0101_0101
  private static let highs: UInt64 = 0x8080_8080_8080_8080

  /// Loads the eight bytes at a place.
  @inline(__always)
  static func load(_ place: UnsafePointer<UInt8>) -> UInt64 {
    UnsafeRawPointer(place).loadUnaligned(as: UInt64.self).littleEndian
  }

  /// How many bytes of a word come before a quote, a backslash or a control character.
  @inline(__always)
  static func plainCount(_ word: UInt64) -> Int {
    (special(word) & highs).trailingZeroBitCount / 8
  }

  /// How many bytes of a word come before one of these or one that is not ASCII.
  @inline(__always)
  static func plainASCIICount(_ word: UInt64) -> Int {
    ((special(word) | word) & highs).trailingZeroBitCount / 8
  }

  /// Whether a word has none of these.
  @inline(__always)
  static func isPlainASCII(_ word: UInt64) -> Bool { (special(word) | word) & highs == 0 }

  @inline(__always)
  private static func special(_ word: UInt64) -> UInt64 {
    let quotes = word ^ (ones &* 0x22)
    let slashes = word ^ (ones &* 0x5C)
    return ((quotes &- ones) & ~quotes) | ((slashes &- ones) & ~slashes)
      | ((word &- (ones &* 0x20)) & ~word)
  }

  /// Whether the first bytes of a word, at most eight, are all ASCII.
  @inline(__always)
  static func isASCII(_ word: UInt64, count: Int) -> Bool {
    (word & highs) << UInt64(64 - 8 * count) == 0
  }

  /// How many bytes of a word come before one that is no digit.
  @inline(__always)
  static func digitCount(_ word: UInt64) -> Int {
    let digits = word ^ (ones &* 0x30)
    return (((digits &+ (ones &* 0x76)) | digits) & highs).trailingZeroBitCount / 8
  }

  /// The number that the first bytes of a word make, which are digits, at most eight.
  @inline(__always)
  static func number(_ word: UInt64, digits count: Int) -> UInt64 {
    // The digits move to the high end, so that zeros come before them; then pairs, fours and all
    // eight are put together.
    var value = (word ^ (ones &* 0x30)) << UInt64(64 - 8 * count)
    value = (value &* 2561) >> 8 & 0x00FF_00FF_00FF_00FF
    value = (value &* 6_553_601) >> 16 & 0x0000_FFFF_0000_FFFF
    return (value &* 42_949_672_960_001) >> 32
  }

  /// Whether a byte of a text cannot stand in JSON as it is.
  @inline(__always)
  static func mustEscape(_ byte: UInt8) -> Bool {
    byte < 0x20 || byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\")
  }
}
