import Foundation

/// Values that are valid and that careless code loses, changes, or mistakes for others.
public enum HardValues {
  /// Texts: empty, NUL, canonical equivalents, the Kelvin sign, Turkish i, ß, emoji with joiners,
  /// the wildcards and quotes of SQL, line ends, and the ends of the code space.
  public static let strings: [String] = [
    "", "\0", "a\0b", " ", "\r\n", "\u{2028}", "e\u{301}", "\u{E9}", "K", "\u{212A}", "\u{130}",
    "\u{131}", "ß", "SS", "ﬁ", "👩‍👩‍👧‍👦", "🇦🇺", "\u{301}", "%", "_", "\\", "'", "\"", "''; --",
    "{\"a\":1}", "null", "NaN", "\u{FEFF}", "\u{FFFF}", "\u{10FFFF}", "Ω", "\u{2126}", "日本",
  ]

  /// Floating-point numbers: both zeros, NaN, the infinities, and the ends of all ranges.
  public static let doubles: [Double] = [
    0, -0.0, 1, -1, 0.1, 1 / 3, .nan, -.nan, .infinity, -.infinity,
    .greatestFiniteMagnitude, -.greatestFiniteMagnitude, .leastNormalMagnitude,
    .leastNonzeroMagnitude, -.leastNonzeroMagnitude, .pi, 9_007_199_254_740_992,
    1e15, 1e16, 1e-7, 123_456_789.123_456_78,
  ]

  /// Whole numbers: zero, the ends of each width, and what a double cannot hold.
  public static let integers: [Int64] = [
    0, 1, -1, 127, -128, 128, 255, 256, 32_767, -32_768, 65_535, 65_536, 2_147_483_647,
    -2_147_483_648, 4_294_967_295, 9_007_199_254_740_993, -9_007_199_254_740_993, .max, .min,
    .max - 1, .min + 1,
  ]

  /// Unsigned whole numbers, above the signed range among them.
  public static let unsignedIntegers: [UInt64] = [
    0, 1, UInt64(Int64.max), UInt64(Int64.max) + 1, .max - 1, .max,
  ]

  /// Points in time: around the epochs, below a millisecond, and distant.
  public static let dates: [Date] = [
    Date(timeIntervalSinceReferenceDate: 0), Date(timeIntervalSince1970: 0),
    Date(timeIntervalSinceReferenceDate: 0.000_000_1),
    Date(timeIntervalSinceReferenceDate: -0.000_5),
    Date(timeIntervalSinceReferenceDate: 700_000_000.123_456_7),
    Date(timeIntervalSinceReferenceDate: 1 / 3), Date(timeIntervalSince1970: -1),
    Date(timeIntervalSince1970: 951_825_600), .distantPast, .distantFuture,
    Date(timeIntervalSinceReferenceDate: 1e15), Date(timeIntervalSinceReferenceDate: -1e15),
  ]

  /// Decimal numbers of up to 38 digits.
  public static let decimals: [Decimal] = [
    0, 1, -1, Decimal(sign: .plus, exponent: -1, significand: 1),
    digits("12345678901234567890123456789012345678", exponent: 0),
    digits("99999999999999999999999999999999999999", exponent: -38),
    digits("-12345678901234567890123456789012345678", exponent: -19),
    digits("1", exponent: 127), digits("1", exponent: -127), digits("100", exponent: -2),
  ]

  /// Bytes: none, zero, all, and what is no valid text.
  public static let data: [Data] = [
    Data(), Data([0]), Data([0xFF, 0xFE, 0x80]), Data((0...255).map { UInt8($0) }),
    Data(repeating: 0, count: 70_000),
  ]

  private static func digits(_ text: String, exponent: Int) -> Decimal {
    let whole = Decimal(string: text) ?? .nan
    return Decimal(
      sign: whole.sign,
      exponent: exponent,
      significand: whole.magnitude
    )
  }
}
