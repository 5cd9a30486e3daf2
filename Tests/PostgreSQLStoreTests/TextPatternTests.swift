import PostgreSQLClient
import PostgreSQLTestSupport
import QueryEvaluation
import SQLTranslation
import StoreProtocol
import Testing

@testable import PostgreSQLStore

@Suite(
  .enabled(
    if: PrivateCluster.isAvailable || PrivateCluster.isRequired,
    "no PostgreSQL server is installed"
  )
)
struct `Patterns of strings` {
  /// Returns the strings that a pattern matches on the server.
  private func matches(_ pattern: TextPattern, _ strings: [String]) throws -> [String] {
    let stored = strings.map { TextEscape.escaped(ExactText.composed($0)) }
    let result = try PrivateCluster.shared().connect().run(
      Statement(
        """
        SELECT i FROM unnest($1) WITH ORDINALITY AS t(v, i) WHERE v COLLATE "C" ~ $2 ORDER BY i
        """,
        [Parameter(array: stored), Parameter(pattern.expression)]
      )
    )
    return try (0..<result.rowCount).compactMap { row in
      try result.value(row, 0, as: Int64.self).map { strings[Int($0) - 1] }
    }
  }

  private func check(_ part: String, _ strings: [String]) throws {
    let prefix = try #require(TextPattern(.startsWith, ExactText.composed(part)))
    let found = try matches(prefix, strings).map { Array($0.unicodeScalars) }
    let expected = strings.filter { TextComparison.starts($0, with: part) }
    #expect(found == expected.map { Array($0.unicodeScalars) }, "starts with \(part)")
    let inside = try #require(TextPattern(.contains, ExactText.composed(part)))
    let held = try matches(inside, strings).map { Array($0.unicodeScalars) }
    let holding = strings.filter { TextComparison.contains($0, part) }
    #expect(held == holding.map { Array($0.unicodeScalars) }, "contains \(part)")
  }

  /// Tests every scalar before and after a letter in the Unicode version of Swift's library.
  @Test(arguments: [0...0xD7FF, 0xE000...0xFFFF, 0x1_0000...0x1_FFFF, 0xE_0000...0xE_0FFF])
  func `a letter next to any scalar matches as in Swift`(_ range: ClosedRange<UInt32>) throws {
    let scalars = range.compactMap { Unicode.Scalar($0) }
    try check("a", scalars.map { "a\($0)" } + scalars.map { "\($0)a" })
  }

  @Test func `ordinary scalars combine with other scalars as the letter a does`() {
    let marks: [Unicode.Scalar] = [
      "\u{300}", "\u{200D}", "\u{94D}", "\u{FE0F}", "\u{1F3FB}", "\u{20E3}", "\u{903}",
    ]
    let others: [Unicode.Scalar] = [
      "\u{1100}", "\u{1161}", "\u{AC00}", "\u{1F1E6}", "\u{915}", "\u{1F469}", "\n", "\r", "é",
      "\u{600}", "\u{A9}", "\0", "\u{E33}",
    ]
    var differences: [Unicode.Scalar] = []
    for value in 0x20...0x9FFF as ClosedRange<UInt32> {
      guard let scalar = Unicode.Scalar(value), TextPattern.isOrdinary(scalar) else { continue }
      let isAlike = (marks + others).allSatisfy { other in
        "\(scalar)\(other)".count == "a\(other)".count
          && "\(other)\(scalar)".count == "\(other)a".count
      }
      let isAfterSequence = ["\u{1F469}\u{200D}", "\u{915}\u{94D}", "\u{1F1E6}"].allSatisfy {
        "\($0)\(scalar)".count == 2
      }
      if !isAlike || !isAfterSequence { differences.append(scalar) }
    }
    #expect(differences.isEmpty)
  }

  @Test(arguments: [
    "a", "é", "e\u{301}", "ab", "a.c", "a\0b", "a\u{1}b", "(", "\\d", "]", "^$", "ß", "漢", "か",
    "a b", "*", "a\nb", "a👩\u{200D}👩b",
  ])
  func `special characters match themselves`(_ part: String) throws {
    var strings = [
      "", "a", "b", "é", "e\u{301}", "e", "e\u{301}\u{323}", "ab", "abc", "a.c", "axc", "a\0b",
      "a\u{1}b", "a\u{1}", "\u{1}", "\0", "\u{2}", "(", "\\d", "1", "]", "^$", "x^$", "漢字", "字漢",
      "か", "が", "か\u{3099}", "a b", "A", "**", "a\nb", "a\r\nb", "\na", "a👩\u{200D}👩b", "ß",
      "ss", "a\u{0}", "\u{600}a", "\u{200D}a", "a\u{200D}", "a\u{1F3FB}",
    ]
    strings += strings.flatMap { [$0 + part, part + $0, "x" + part + $0] }
    try check(part, strings)
  }

  @Test(arguments: [
    "", "\n", "\u{301}", "a\u{301}\u{302}\u{94D}", "👩", "\u{1F1E6}\u{1F1E7}", "각", "\u{1100}", "क",
    "a\u{200D}", "\0", "©", String(repeating: "a", count: 500),
  ])
  func `other strings have no pattern`(_ part: String) {
    #expect(TextPattern(.startsWith, ExactText.composed(part)) == nil)
    #expect(TextPattern(.contains, ExactText.composed(part)) == nil)
  }

  @Test func `a localized search has no pattern`() {
    #expect(TextPattern(.localizedStandardContains, "a") == nil)
  }
}
