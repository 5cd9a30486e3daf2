/// What of a JSON string can stand as it is, byte by byte or eight at a time.
enum TextWord {
  /// How many of the eight bytes of a word, the lowest first, come before a quote, a backslash or a
  /// control character.
  @inline(__always)
  static func plainCount(_ word: UInt64) -> Int {
    let ones: UInt64 = 0x0101_0101_0101_0101
    let quotes = word ^ (ones &* 0x22)
    let slashes = word ^ (ones &* 0x5C)
    // The lowest set bit of each is exact: borrows only go upwards (a known trick on words).
    let found =
      ((quotes &- ones) & ~quotes) | ((slashes &- ones) & ~slashes)
      | ((word &- (ones &* 0x20)) & ~word)
    return (found & 0x8080_8080_8080_8080).trailingZeroBitCount / 8
  }

  /// Whether a byte of a text cannot stand in JSON as it is.
  @inline(__always)
  static func mustEscape(_ byte: UInt8) -> Bool {
    byte < 0x20 || byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\")
  }
}
