import Foundation
import PostgreSQLTestSupport
import Testing

@testable import PostgreSQLClient

/// Compares the server's order and equality with Swift's, on values that are hard to compare.
@Suite("Order and equality on the server", .needsServer, .timeLimit(.minutes(30)))
struct MeaningTests {
  private let connection: Connection

  init() throws { connection = try PrivateCluster.shared().connect() }

  /// Asks the server for `=` and `<` of every pair of values.
  private func pairs<Value: PostgreSQLValue>(
    _ values: [Value],
    equal: String = "a.v = b.v",
    less: String = "a.v < b.v",
    column: String = "v"
  ) throws -> [(first: Value, second: Value, isEqual: Bool, isLess: Bool)] {
    let rows = "(SELECT i, \(column) AS v FROM unnest($1) WITH ORDINALITY AS t (v, i))"
    let result = try connection.run(
      Statement(
        "SELECT a.i, b.i, \(equal), \(less) FROM \(rows) AS a, \(rows) AS b",
        [Parameter(array: values)]
      )
    )
    #expect(result.rowCount == values.count * values.count)
    return try (0..<result.rowCount).map { row in
      let first = try #require(try result.value(row, 0, as: Int64.self))
      let second = try #require(try result.value(row, 1, as: Int64.self))
      return (
        values[Int(first) - 1], values[Int(second) - 1],
        try result.value(row, 2) ?? false,
        try result.value(row, 3) ?? false
      )
    }
  }

  private static let strings = [
    "", "a", "A", "b", "B", "z", "Z", "_", "-", " ", "a ", "a-b", "ab", "é", "e\u{301}", "e", "f",
    "É", "ß", "ss",
    "\u{212A}", "K", "\u{37E}", ";", "\u{1F600}", "\u{FFFF}", "\u{E000}", "\u{D7FF}", "\u{10FFFF}",
    "\u{0}", "\u{1}", "\u{2}", "a\u{0}", "a\u{0}b", "a\u{1}b", "a\u{1}\u{1}b", "\u{0}\u{0}",
    "\u{1}\u{2}",
    "ǆ", "ﬀ", "ff", "１", "1", "10", "9", "\u{AC00}", "\u{1100}\u{1161}", "ạ\u{308}",
    "a\u{308}\u{323}",
    "\u{200D}", "\u{FEFF}", "ı", "i", "İ", "i\u{307}", "\n", "\r\n", "'", "\"", "\\", "%",
  ]

  @Test
  func `composed strings compare in the C collation as in Swift`() throws {
    let stored = Self.strings.map { TextEscape.escaped($0.precomposedStringWithCanonicalMapping) }
    let originals = Dictionary(zip(stored, Self.strings)) { first, _ in first }
    for pair in try pairs(stored, column: "v COLLATE \"C\"") {
      let first = try #require(originals[pair.first])
      let second = try #require(originals[pair.second])
      #expect(
        pair.isEqual == (first == second),
        "\(first.debugDescription) \(second.debugDescription)"
      )
      #expect(
        pair.isLess == (first < second),
        "\(first.debugDescription) \(second.debugDescription)"
      )
    }
  }

  @Test
  func `decomposed strings compare differently than in Swift`() throws {
    let found = try pairs(["é", "e\u{301}"], column: "v COLLATE \"C\"")
    #expect(found.contains { $0.first == $0.second && !$0.isEqual })
  }

  @Test
  func `escaped strings are read back and keep their order`() throws {
    for string in Self.strings {
      let stored = TextEscape.escaped(string)
      #expect(TextEscape.unescaped(stored) == string)
      let result = try connection.run(Statement("SELECT $1::text", [Parameter(stored)]))
      #expect(try result.value(0, 0) == stored)
      for other in Self.strings where !string.unicodeScalars.elementsEqual(other.unicodeScalars) {
        let isBefore = string.utf8.lexicographicallyPrecedes(other.utf8)
        let isStoredBefore = stored.utf8.lexicographicallyPrecedes(TextEscape.escaped(other).utf8)
        #expect(isBefore == isStoredBefore)
      }
    }
    for invalid in ["\u{1}", "a\u{1}a", "\u{1}\u{3}"] {
      #expect(TextEscape.unescaped(invalid) == nil)
    }
    let error = #expect(throws: PostgreSQLError.self) {
      try connection.run(Statement("SELECT $1::text", [Parameter("\u{0}")]))
    }
    #expect(error?.kind == .invalidValue)
  }

  private static let numbers = [
    0.0, -0.0, 1, -1, .nan, -.nan, .signalingNaN, .infinity, -.infinity, .leastNonzeroMagnitude,
    -.leastNonzeroMagnitude, .greatestFiniteMagnitude, 0.1, 0.1 + 0.2, 0.3, 9_007_199_254_740_994,
    Date.distantPast.timeIntervalSinceReferenceDate,
    Date.distantFuture.timeIntervalSinceReferenceDate,
    721_692_800.000_000_1, 721_692_800,
  ]

  @Test
  func `numbers and dates compare as in Swift if NaN is excluded`() throws {
    let found = try pairs(
      Self.numbers,
      equal: "a.v = b.v AND a.v <> 'NaN'",
      less: "a.v < b.v AND b.v <> 'NaN'"
    )
    for pair in found {
      #expect(pair.isEqual == (pair.first == pair.second), "\(pair)")
      #expect(pair.isLess == (pair.first < pair.second), "\(pair)")
    }
    // Without the condition NaN equals itself and is the greatest.
    let bare = try pairs([1, .nan])
    #expect(bare.map(\.isEqual) == [true, false, false, true])
    #expect(bare.map(\.isLess) == [false, true, false, false])
  }

  @Test
  func `numbers are sorted with nil first and NaN last`() throws {
    let values: [Double?] = [.nan, 1, nil, -.infinity, .infinity]
    let result = try connection.run(
      Statement(
        "SELECT array_agg(v ORDER BY v NULLS FIRST) FROM unnest($1) AS v",
        [Parameter(array: values)]
      )
    )
    let sorted = try #require(try result.array(0, 0, of: Double.self))
    #expect(sorted.map { $0.map { "\($0)" } ?? "nil" } == ["nil", "-inf", "1.0", "inf", "nan"])
  }

  @Test
  func `decimal numbers compare as in Foundation`() throws {
    let values = [
      "0", "-0", "1", "1.0", "1.50", "-1.5", "0.1", "1e-128", "-1e-128", "1e127",
      "340282366920938463463374607431768211455", "340282366920938463463374607431768211454",
    ].compactMap { Decimal(string: $0) }
    for pair in try pairs(values) {
      #expect(pair.isEqual == (pair.first == pair.second), "\(pair)")
      #expect(pair.isLess == (pair.first < pair.second), "\(pair)")
    }
  }

  @Test
  func `identifiers and data are ordered by their bytes`() throws {
    let data = [[], [0], [0, 0], [0, 255], [1], [127], [128], [255], [255, 0]].map { Data($0) }
    for pair in try pairs(data) {
      #expect(pair.isLess == pair.first.lexicographicallyPrecedes(pair.second))
    }
    let identifiers = [0, 1, 127, 128, 255].flatMap { (byte: UInt8) in
      [
        UUID(uuid: (byte, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0)),
        UUID(uuid: (0, 0, 0, 0, 0, 0, byte, 0, 0, 0, 0, 0, 0, 0, 0, 1)),
      ]
    }
    for pair in try pairs(identifiers) {
      let (first, second) = (pair.first.uuidString, pair.second.uuidString)
      #expect(pair.isLess == (first < second))
    }
  }

  @Test
  func `structured values keep their exact form in json, but not in jsonb`() throws {
    let value = #"{"b": -0, "a": 1.50, "a": 2}"#
    let result = try connection.run(
      Statement("SELECT $1::json::text, $1::jsonb::text", [Parameter(value)])
    )
    #expect(try result.value(0, 0) == value)
    #expect(try result.value(0, 1) != value)
  }
}
