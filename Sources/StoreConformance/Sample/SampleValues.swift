import Foundation
import StoreProtocol

/// Values of every attribute type that careless code loses, changes, or confuses with others.
enum SampleValues {
  static let types: [AttributeType] = [
    .bool, .int8, .int16, .int32, .int64, .uint8, .uint16, .uint32, .uint64, .float, .double,
    .decimal, .string, .date, .data, .uuid, .url, .codable,
  ]

  static func values(of type: AttributeType) -> [StoreValue] {
    switch type {
    case .bool: [.bool(true), .bool(false)]
    case .int8: ends(of: Int8.self)
    case .int16: ends(of: Int16.self)
    case .int32: ends(of: Int32.self)
    case .int64:
      ends(of: Int64.self) + [.integer(9_007_199_254_740_992), .integer(9_007_199_254_740_993)]
    case .uint8: ends(of: UInt8.self)
    case .uint16: ends(of: UInt16.self)
    case .uint32: ends(of: UInt32.self)
    case .uint64: ends(of: UInt64.self) + [(UInt64(Int64.max) + 1).storeValue]
    case .float: floats.map(\.storeValue)
    case .double: doubles.map(\.storeValue)
    case .decimal: decimals.map(\.storeValue)
    case .string: strings.map(\.storeValue)
    case .date: dates.map(\.storeValue)
    case .data: [Data(), Data([0]), Data([0xFF, 0xFE, 0x80]), Data(0...255)].map(\.storeValue)
    case .uuid: uuids.map(\.storeValue)
    case .url: urls.map { .string($0) }
    case .codable: trees
    }
  }

  private static func ends<T: FixedWidthInteger & StoreScalar>(of type: T.Type) -> [StoreValue] {
    [T.min, T.min + 1, 0, 1, T.max - 1, T.max].map(\.storeValue)
  }

  static let strings: [String] =
    [
      "", "\0", "a\0b", " ", "\r\n", "e\u{301}", "\u{E9}", "K", "\u{212A}", "\u{130}", "\u{131}",
      "ß", "SS", "👩‍👩‍👧‍👦", "\u{301}", "%", "_", "\\", "'", "\"", "'; --", "{\"a\":1}", "null",
      "\u{2028}", "\u{FEFF}", "\u{FFFF}", "\u{10FFFF}", "日本",
    ] + barelyDifferent

  /// Strings that folding, trimming, truncation or a lossy normalization would make equal, and
  /// others that are equal although their bytes differ.
  static let barelyDifferent = [
    "a", "a ", " a", "a\t", "\u{FF41}", "fi", "\u{FB01}", "oe", "\u{153}", "i", "I", "\u{3BC}",
    "\u{B5}",
    ";", "\u{37E}", "\u{AC00}", "\u{1100}\u{1161}", "a\u{323}\u{301}", "a\u{301}\u{323}",
    "a\u{301}",
    "2\u{2075}", "25", "1e1", "10", "\u{C5}", "\u{212B}", "A\u{30A}",
    String(repeating: "x", count: 300) + "a", String(repeating: "x", count: 300) + "b",
  ]

  static let doubles: [Double] = [
    0, -0.0, 1, -1, 0.1, 1 / 3, .nan, -.nan, Double(nan: 7, signaling: false), .infinity,
    -.infinity,
    .greatestFiniteMagnitude, -.greatestFiniteMagnitude, .leastNormalMagnitude,
    .leastNonzeroMagnitude, 1e15, 1e16, 1e-7,
    9_007_199_254_740_992, 123_456_789.123_456_78, 0.3, 0.1 + 0.2, 1.0.nextUp, 1.0.nextDown,
    9_223_372_036_854_775_808, -9_223_372_036_854_775_808, 1e300, Double(Float(0.1)),
  ]

  private static let floats: [Float] = [
    0, -0.0, 0.1, 1 / 3, .nan, .infinity, -.infinity, .greatestFiniteMagnitude,
    .leastNonzeroMagnitude, 16_777_216, 16_777_218, Float(1).nextUp,
  ]

  static let dates: [Date] = [
    Date(timeIntervalSinceReferenceDate: 0), Date(timeIntervalSince1970: 0),
    Date(timeIntervalSinceReferenceDate: 0.000_000_1),
    Date(timeIntervalSinceReferenceDate: 700_000_000.123_456_7),
    Date(timeIntervalSinceReferenceDate: -0.000_5), .distantPast, .distantFuture,
    Date(timeIntervalSinceReferenceDate: 1e15), Date(timeIntervalSinceReferenceDate: -0.0),
    Date(timeIntervalSinceReferenceDate: 700_000_000.123_456_7.nextUp),
    Date(timeIntervalSinceReferenceDate: 700_000_000), Date(timeIntervalSinceReferenceDate: 0.001),
    Date(timeIntervalSinceReferenceDate: .nan),
  ]

  private static let decimals: [Decimal] = [
    0, 1, -1, decimal("0.1"), decimal("12345678901234567890123456789012345678"),
    decimal("0.99999999999999999999999999999999999999"),
    decimal("-1234567890123456789.0123456789012345678"), decimal("1e127"), decimal("1e-127"),
    decimal("0.10000000000000000000000000000000000001"), decimal("9007199254740993"),
    decimal("1.5"),
  ]

  private static func decimal(_ text: String) -> Decimal { Decimal(string: text) ?? .nan }

  private static let uuids: [UUID] = [
    UUID(uuid: (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0)),
    UUID(uuid: (255, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 255)),
  ]

  private static let urls = [
    "https://example.org/a%20b?q=1#f", "file:///tmp/x", "relative/path", "mailto:ada@example.org",
  ]

  private static let trees: [StoreValue] = [
    .integer(1), .string("text"), .array([]), .composite([]),
    .array([.null, .bool(false), .integer(.min), .unsigned(.max), .double(-0.0), .string("\0")]),
    .composite([
      .init("width", .double(.infinity)), .init("", .null), .init("on", .date(.distantFuture)),
      .init(
        "inner",
        .composite([.init("bytes", .data(Data([0, 255]))), .init("n", .decimal(1))])
      ),
      .init("token", .uuid(uuids[1])), .init("a \"quoted\" name", .array([.array([.double(1)])])),
    ]), .array([.double(1), .integer(1), .double(1), .double(1e20), .double(-0.0)]),
    .composite([.init("latitude", .double(2)), .init("longitude", .double(-3))]),
    .array([.string("a"), .string("a"), .string("a "), .null, .null]),
    .array([.string("\u{1}\u{F}0\u{10}1\u{1F}\u{7F}"), .string("\t\n\r\u{8}\u{C}/")]),
  ]
}
