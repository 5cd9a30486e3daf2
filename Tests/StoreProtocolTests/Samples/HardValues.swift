import Foundation

/// Values that implementations get wrong.
enum HardValues {
  static let texts = [
    "", "a", "A", "b", "\u{E9}", "e\u{301}", "e", "\u{212A}", "K", "k", "stra\u{DF}e", "STRASSE",
    "\u{130}", "i", "\u{131}", "a\0b", "\0", "100%", "a_b", "\\", "'\"", "👩‍👩‍👧", "\r\n", "\n", "Zoe",
    "zo\u{EB}", "\u{AC00}", "\u{1100}\u{1161}",
  ]
  static let integers = [
    0, 1, -1, 2, 7, 100, Int.min, Int.max, Int.max - 1, 1 << 53, (1 << 53) + 1,
  ]
  static let doubles: [Double] = [
    0, -0.0, 1, -1, 0.1, .nan, .infinity, -.infinity, .leastNonzeroMagnitude,
    .greatestFiniteMagnitude, 9_007_199_254_740_992, 1e-7,
  ]
  static let dates = [
    Date.distantPast, .distantFuture, Date(timeIntervalSinceReferenceDate: 0),
    Date(timeIntervalSinceReferenceDate: 0.000_000_1),
    Date(timeIntervalSinceReferenceDate: 7.25e8 + 0.000_001),
    Date(timeIntervalSinceReferenceDate: -0.0),
  ]
  static let decimals = [
    "0", "1", "-1", "0.1", "1.00", "12345678901234567890123456789012345678",
    "0.00000000000000000000000000000000000001", "-99999999999999999999999999999999999999",
  ].compactMap { Decimal(string: $0) }
  static let unsigned: [UInt64] = [0, 1, 255, UInt64(Int64.max), UInt64(Int64.max) + 1, .max]
  static let bytes = [Data(), Data([0]), Data([1, 2, 3]), Data([255, 0]), Data("a".utf8)]
}
