import Foundation
import QueryEvaluation
import StoreProtocol

/// Rules about filters that must find each value and no other, however small the difference.
enum ExactnessRules {
  /// The types that can be compared, in the order of their rule numbers.
  private static let types: [AttributeType] = [
    .int8, .int16, .int32, .int64, .uint8, .uint16, .uint32, .uint64, .float, .double, .decimal,
    .string, .date, .url,
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
      .second(
        "QUERY-027",
        "Every kind of request for an entity that the schema lacks throws.",
        unknownEntities
      ),
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
      filter(
        "QUERY-036",
        "A row must satisfy both of two conditions, even if one index has both properties.",
        twoConditions
      ),
      Rule(
        "SORT-010",
        "Values that barely differ are sorted correctly, and equal values by key.",
        needs: [.nativeSorting],
        since: 2,
        order
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
      let isUnordered = type == .url || value.isNull
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

  private static func unknownEntities(_ bench: StoreBench) throws {
    let row = try bench.insert("Person")
    let query = StoreQuery(entity: "Unicorn")
    try expect("a count", throws: .schemaMismatch, .invalidPredicate) {
      _ = try bench.store.count(query)
    }
    try expect("identifiers", throws: .schemaMismatch, .invalidPredicate) {
      _ = try bench.store.identifiers(query)
    }
    try expect("a read", throws: .schemaMismatch, .invalidPredicate) {
      try bench.store.read(query) { _ in }
    }
    try expect("rows by identity", throws: .schemaMismatch, .invalidPredicate) {
      _ = try bench.store.fetch(.rows([row], of: "Unicorn"))
    }
  }

  private static func order(_ bench: StoreBench) throws {
    for type in types where type != .url {
      let values = SampleValues.values(of: type) + [.null]
      let rows = try bench.insert(values.map { try Sample.record("Specimen", [type.rawValue: $0]) })
      for isReversed in [false, true] {
        let sort = [QuerySort(property: type.rawValue, isReversed: isReversed)]
        let expected = values.indices.sorted { first, second in
          let order = StoreValue.sortOrder(values[first], values[second])
          return order == 0 ? first < second : (order < 0) != isReversed
        }
        let found = try bench.store.identifiers(StoreQuery(entity: "Specimen", sort: sort))
        try expect("the order of \(type) values", found, equals: expected.map { rows[$0] })
      }
      try bench.store.erase()
    }
  }

  /// Tests two conditions for which the schema has a common index.
  private static func twoConditions(_ bench: StoreBench) throws {
    let numbers = (0..<300).map { ($0.isMultiple(of: 2), Int64($0 * 7 % 11)) }
    let rows = try bench.insert(
      numbers.map { shown, count in
        try Sample.record("Exhibit", ["shown": .bool(shown), "count": .integer(count)])
      }
    )
    for shown in [true, false] {
      for count in Int64(0)...10 {
        for comparison in [QueryExpression.Comparison.equal, .less, .greaterOrEqual] {
          let filter = QueryExpression.and([
            .row("shown", .equal, .bool(shown)), .row("count", comparison, .integer(count)),
          ])
          let expected = zip(rows, numbers).filter { _, number in
            number.0 == shown && comparison.holds(.integer(number.1), .integer(count))
          }
          let found = try bench.store.identifiers(StoreQuery("Exhibit", where: filter))
          try expect("the rows where \(filter)", found, equals: expected.map(\.0))
        }
      }
    }
  }

  /// Tests searches, which a store may run by byte order for plain strings only.
  private static func searches(_ bench: StoreBench) throws {
    let plain = [
      "a", "ab", "abc", "b", "A", "a~", "", "\u{E9}t", "z", "ac", "\u{D7FF}", "\u{10FFFF}a",
    ]
    var (texts, rows) = ([String](), [PersistentIdentifier]())
    for more in [plain, ["ab\u{301}c", "e\u{301}t"]] {
      texts += more
      rows += try bench.insert("Person", named: more)
      for part in plain + ["~", "e", "t"] where !part.isEmpty {
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
