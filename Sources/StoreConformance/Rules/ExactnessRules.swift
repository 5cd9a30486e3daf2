import Foundation
import QueryEvaluation
import StoreProtocol

/// Rules about filters that must find each value and no other, however small the difference.
enum ExactnessRules {
  /// The types that can be compared, in the order of their rule numbers.
  private static let types: [AttributeType] = [
    .int8, .int16, .int32, .int64, .uint8, .uint16, .uint32, .uint64, .float, .double, .decimal,
    .string, .date, .url, .data, .uuid,
  ]

  static let all: [Rule] =
    types.enumerated().map { number, type in
      Rule(
        "QUERY-\(101 + number)",
        "Every comparison distinguishes each \(type.rawValue) value from all others.",
        needs: [.nativeFiltering],
        since: 2
      ) { try comparisons(of: type, $0) }
    } + [
      filter(
        "QUERY-033",
        "A query that ran before the first unusual value returns correct results after it.",
        firstUnusualValue
      ),
      filter(
        "QUERY-035",
        "A string search returns the same matches before and after the first unusual string.",
        searches
      ),
    ]

  private static let filter = Rule.making(needs: [.nativeFiltering], since: 2)

  private static let comparisons: [QueryExpression.Comparison] = [
    .equal, .notEqual, .less, .lessOrEqual, .greater, .greaterOrEqual,
  ]

  private static func comparisons(of type: AttributeType, _ bench: StoreBench) throws {
    let values = SampleValues.values(of: type)
    let records = try values.map { try Sample.record("Specimen", [type.rawValue: $0]) }
    let rows = try bench.insert(records + [Sample.record("Specimen")])
    for value in values + [.null] {
      let isUnordered = [.url, .data, .uuid].contains(type) || value.isNull
      for comparison in comparisons.prefix(isUnordered ? 2 : comparisons.count) {
        let filter = QueryExpression.row(type.rawValue, comparison, value)
        let expected = zip(rows, values + [.null]).filter { comparison.holds($1, value) }.map(\.0)
        let found = try bench.store.identifiers(StoreQuery("Specimen", where: filter))
        guard found != expected else { continue }
        throw RuleViolation(
          "the values that are \(comparison) to \(value)",
          expected: Self.values(expected, rows, values),
          found: Self.values(found, rows, values)
        )
      }
    }
  }

  private static func values(
    _ found: [PersistentIdentifier],
    _ rows: [PersistentIdentifier],
    _ values: [StoreValue]
  ) -> String {
    found.map { one in
      rows.firstIndex(of: one).map { $0 < values.count ? "\(values[$0])" : "nil" } ?? "\(one)"
    }.joined(separator: ", ")
  }

  /// Tests searches, which a store may run by byte order for plain strings only.
  private static func searches(_ bench: StoreBench) throws {
    let plain = [
      "a", "ab", "abc", "b", "A", "a~", "", "\u{E9}t", "z", "ac", "\u{D7FF}", "\u{10FFFF}a",
      "100%", "100", "a_b", "axb", "CAFE", "a\0b", "\\n", "👩‍👩‍👧‍👦",
    ]
    var (texts, rows) = ([String](), [PersistentIdentifier]())
    for more in [plain, ["ab\u{301}c", "e\u{301}t", "Cafe\u{301}"]] {
      texts += more
      rows += try bench.insert("Person", named: more)
      for part in plain + ["~", "e", "t", "%", "_", "\u{E9}", "\0", "\\", "👩"] {
        let starts = QueryExpression.text(.startsWith, .row("name"), .string(part))
        let contains = QueryExpression.text(.contains, .row("name"), .string(part))
        for filter in [starts, contains] {
          let expected = zip(rows, texts).filter { _, text in
            let ends = filter == starts ? [0] : Array(0...text.count)
            return ends.contains { text.dropFirst($0).starts(with: part) }
          }
          let found = try bench.store.identifiers(StoreQuery("Person", where: filter))
          try expect("the rows where \(filter)", found, equals: expected.map(\.0))
        }
      }
    }
  }

  /// Tests the first unusual value of a column, because stores may prepare queries for usual values
  /// only.
  private static func firstUnusualValue(_ bench: StoreBench) throws {
    let zero = Date(timeIntervalSinceReferenceDate: -0.0)
    let values:
      [(first: String, second: String, plain: StoreValue, odd: StoreValue, asked: StoreValue)] = [
        ("title", "name", .string("e"), .string("e\u{301}"), .string("\u{E9}")),
        (
          "seen", "made", .date(.distantPast), .date(zero),
          .date(Date(timeIntervalSinceReferenceDate: 0))
        ),
      ]
    for (first, second, plain, odd, asked) in values {
      let filters: [QueryExpression] = [
        .row(second, .equal, asked),
        .compare(.equal, .coalesce(.row(first), .row(second)), .constant(asked)),
        .compare(.equal, .row(second), .coalesce(.row(first), .constant(asked))),
        .contains(.constant(.array([asked, plain])), .row(second)),
        .row(second, .notEqual, asked),
      ]
      let before = try bench.insert("Exhibit", [second: plain])
      let expected: [[Bool]] = [
        [false, true], [false, true], [false, true], [true, true], [true, false],
      ]
      for (filter, holds) in zip(filters, expected) {
        let found = try bench.store.identifiers(StoreQuery("Exhibit", where: filter))
        try expect("the rows where \(filter)", found, equals: holds[0] ? [before] : [])
      }
      let after = try bench.insert("Exhibit", [second: odd])
      for (filter, holds) in zip(filters, expected) {
        let found = try bench.store.identifiers(StoreQuery("Exhibit", where: filter))
        let rows = zip([before, after], holds).filter(\.1).map(\.0)
        try expect("the rows where \(filter), later", found, equals: rows)
      }
      try bench.store.erase()
    }
  }
}
