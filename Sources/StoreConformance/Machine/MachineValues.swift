import Foundation
import StoreProtocol

/// Values of few kinds, so that rows often share them, and that careless code confuses.
enum MachineValues {
  private static let strings = [
    "", "a", "b", "A", "a ", "ab", "e\u{301}", "\u{E9}", "K", "\u{212A}", "a\0b", "%", "nil",
  ]
  private static let codes = ["a", "b", "c", "d", "e\u{301}", "\u{E9}", "K", "\u{212A}"]
  private static let doubles: [Double] = [0, -0.0, 0.5, 1, 1.5, 2, 3, -1, .infinity, .nan]
  private static let seconds: [Double] = [0, 0.000_1, 0.5, 1, 1.5, 2, 3, 700_000_000.123_4]
  private static let bytes = [Data(), Data([0]), Data([0, 255]), Data(repeating: 7, count: 300)]

  /// Structured values whose members have names that formats use for themselves.
  private static let forms: [StoreValue] = [
    .array([]), .composite([]), .array([.integer(1), .null, .double(1)]),
    .composite([.init("$double", .string("nan")), .init("b", .integer(2))]),
    .composite([.init("$date", .double(1)), .init("$data", .string("AA=="))]),
    .composite([.init("type", .string("Item")), .init("value", .null), .init("key", .integer(1))]),
    .composite([.init("entity", .string("Box")), .init("id", .integer(2))]),
    .composite([.init("$unkept", .bool(true))]),
    .composite([.init("a", .composite([.init("$uuid", .string("x"))])), .init("", .null)]),
    .array([.string("e\u{301}"), .string("\u{E9}"), .date(Date(timeIntervalSince1970: 0.5))]),
  ]

  /// Returns a value of an attribute, which is nil sometimes if it may be.
  static func value(of property: StoreProperty, _ source: inout RandomSource) -> StoreValue {
    if property.isOptional, source.oneIn(4) { return .null }
    switch property.attributeType {
    case .string: return .string(source.pick(property.isUnique ? codes : strings))
    case .int64: return .integer(Int64(source.below(property.isUnique ? 12 : 6)))
    case .double: return .double(source.pick(doubles))
    case .date: return .date(Date(timeIntervalSinceReferenceDate: source.pick(seconds)))
    case .data: return .data(source.pick(bytes))
    case .codable: return source.pick(forms)
    default: return .null
    }
  }

  /// Returns an equal string with other bytes, or `nil` if there is none.
  static func equivalent(of value: StoreValue) -> StoreValue? {
    guard case .string(let text) = value else { return nil }
    let other = strings.first { $0 == text && Array($0.utf8) != Array(text.utf8) }
    return other.map(StoreValue.string)
  }
}
