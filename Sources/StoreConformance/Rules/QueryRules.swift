import Foundation
import StoreProtocol

/// Rules about filters, which follow the semantics of Swift.
enum QueryRules {
  static let all: [Rule] = [
    Rule("QUERY-001", "A query returns the rows of its entity and of its subentities.", families),
    Rule("QUERY-002", "A query can exclude the subentities.", ownRowsOnly),
    Rule(
      "QUERY-003",
      "A query by identity returns the rows that exist and omits the others.",
      byKey
    ),
    Rule("QUERY-004", "A query for an entity that the schema lacks throws.", unknownEntities),
    Rule(
      "QUERY-005",
      "A store that does not filter leaves each filter to the layer above.",
      needs: [.lacking(.nativeFiltering)],
      foreignFilters
    ),
    filter("QUERY-010", "Strings are equal by canonical equivalence.", textEquality),
    filter("QUERY-011", "Strings are sorted as in Swift.", textOrder),
    filter(
      "QUERY-012",
      "Integers compare exactly, including the minimum and maximum.",
      integers
    ),
    filter("QUERY-013", "NaN equals nothing, and -0.0 equals 0.0.", floatingPoint),
    filter("QUERY-015", "Decimal numbers compare exactly.", decimals),
    filter(
      "QUERY-016",
      "nil equals only nil, and is neither less nor greater than any value.",
      absence
    ),
    filter(
      "QUERY-017",
      "A condition and its negation together match each row exactly once.",
      partition
    ),
    filter("QUERY-018", "Conditions can be combined with and, or and not.", logic),
    filter("QUERY-019", "A Boolean attribute is a condition.", truthValues),
    filter("QUERY-020", "Data, UUIDs and URLs compare by content.", otherScalars),
    filter("QUERY-021", "A condition can use a property of a structured value.", composites),
    filter("QUERY-022", "A row for which an expression overflows does not match.", overflow),
    filter("QUERY-023", "String searches compare character by character.", textSearch),
    filter("QUERY-024", "A condition can test membership in a list of any length.", lists),
    filter(
      "QUERY-025",
      "A filter with a property that the entity lacks throws.",
      unknownProperties
    ),
    filter("QUERY-026", "Counts and identifiers agree with the rows.", threeResultsAgree),
  ]

  private static let filter = Rule.making(needs: [.nativeFiltering])

  /// Inserts a specimen for each value of an attribute, named by the position of the value.
  private static func specimens(
    _ bench: StoreBench,
    _ type: AttributeType,
    _ values: [StoreValue]
  ) throws {
    _ = try bench.insert(
      values.enumerated().map { index, value in
        try Sample.record("Specimen", ["name": .string("\(index)"), type.rawValue: value])
      }
    )
  }

  /// Checks which specimens match a condition.
  private static func expectMatches(
    _ bench: StoreBench,
    _ filter: QueryExpression,
    _ expected: [Int]
  ) throws {
    let found = try bench.names(StoreQuery("Specimen", where: filter))
    try expect("the rows where \(filter)", found, equals: expected.map(String.init))
  }

  /// Inserts specimens with some values of an attribute, and checks which of them match each
  /// comparison with each of some bounds.
  private static func expectComparisons<Value: StoreScalar>(
    _ bench: StoreBench,
    _ values: [Value],
    with bounds: [Value]? = nil,
    _ comparisons: [(QueryExpression.Comparison, (Value, Value) -> Bool)]
  ) throws {
    try specimens(bench, Value.attributeType, values.map(\.storeValue))
    for bound in bounds ?? values {
      for (comparison, matches) in comparisons {
        try expectMatches(
          bench,
          .row(Value.attributeType.rawValue, comparison, bound.storeValue),
          values.indices.filter { matches(values[$0], bound) }
        )
      }
    }
  }

  private static func families(_ bench: StoreBench) throws {
    for entity in ["Cat", "Animal", "Puppy", "Dog", "Person"] {
      try bench.insert(entity, ["name": .string(entity)])
    }
    try expect("animals", bench.names(of: "Animal"), equals: ["Cat", "Animal", "Puppy", "Dog"])
    try expect("dogs", bench.names(of: "Dog"), equals: ["Puppy", "Dog"])
    try expect("puppies", bench.names(of: "Puppy"), equals: ["Puppy"])
  }

  private static func ownRowsOnly(_ bench: StoreBench) throws {
    for entity in ["Cat", "Dog", "Animal", "Puppy"] {
      try bench.insert(entity, ["name": .string(entity)])
    }
    for entity in ["Animal", "Dog", "Puppy"] {
      let query = StoreQuery(entity: entity, includesSubentities: false)
      try expect("the own rows of \(entity)", bench.names(query), equals: [entity])
      try expect("their count", bench.store.count(query), equals: 1)
    }
  }

  private static func byKey(_ bench: StoreBench) throws {
    let people = try bench.insert("Person", named: ["a", "b", "c", "d"])
    let dog = try bench.insert("Dog", ["name": .string("dog")])
    try bench.delete(people[1])
    let asked = [people[3], dog, people[1], people[0], people[3]]
    let query = StoreQuery.rows(asked, of: "Person")
    try expect("the rows", bench.names(query), equals: ["a", "d"])
    try expect("their identifiers", bench.store.identifiers(query), equals: [people[0], people[3]])
    try expect("their count", bench.store.count(query), equals: 2)
    try expect("no rows", bench.names(.rows([], of: "Person")), equals: [])
  }

  private static func unknownEntities(_ bench: StoreBench) throws {
    try expect("a fetch", throws: .schemaMismatch, .invalidPredicate) {
      _ = try bench.store.fetch(StoreQuery(entity: "Unicorn"))
    }
    try expect("a save", throws: .schemaMismatch) {
      let record = DefaultSnapshot(
        persistentIdentifier: PersistentIdentifier(.temporary(-1), of: "Unicorn"),
        names: PropertyNames([]),
        values: []
      )
      try bench.save(inserting: [Sample.record("Person"), record])
    }
    try expect("the rows", bench.names(of: "Person"), equals: [])
  }

  private static func foreignFilters(_ bench: StoreBench) throws {
    _ = try bench.insert("Person", named: ["a", "b"])
    let query = StoreQuery("Person", where: .row("age", .greater, .integer(1)))
    let part = try bench.store.part(of: query)
    try expect("the store's part of the filter", part.filter, equals: nil)
    try expect("the rest of the filter", part.remaining, equals: query.filter)
    let plan = try bench.store.explain(query)
    try expect("the rest in the explanation", plan.remainingFilter, equals: query.filter)
    try expect("the rows without the filter", bench.names(of: "Person"), equals: ["a", "b"])
  }

  private static func textEquality(_ bench: StoreBench) throws {
    try specimens(
      bench,
      .string,
      ["e\u{301}", "\u{E9}", "e", "K", "\u{212A}", "k", "a\0b", "a", ""].map { .string($0) }
    )
    for (text, expected) in [
      ("\u{E9}", [0, 1]), ("e\u{301}", [0, 1]), ("K", [3, 4]), ("\u{212A}", [3, 4]), ("a\0b", [6]),
      ("", [8]), ("a%", []),
    ] {
      try expectMatches(bench, .row("string", .equal, .string(text)), expected)
    }
    try expectMatches(
      bench,
      .row("string", .notEqual, .string("\u{E9}")),
      [2, 3, 4, 5, 6, 7, 8]
    )
  }

  private static func textOrder(_ bench: StoreBench) throws {
    let texts = ["Z", "a", "\u{E9}", "e\u{301}", "z", "\u{FFFF}", "\u{10000}", "", "10", "9"]
    try expectComparisons(bench, texts, [(.less, <), (.greaterOrEqual, >=)])
  }

  private static func integers(_ bench: StoreBench) throws {
    let numbers: [Int64] = [
      .min, .min + 1, -1, 0, 1, 9_007_199_254_740_992, 9_007_199_254_740_993, .max - 1, .max,
    ]
    try expectComparisons(bench, numbers, [(.lessOrEqual, <=)])
    try bench.store.erase()
    let unsigned: [UInt64] = [0, 1, UInt64(Int64.max), UInt64(Int64.max) + 1, .max - 1, .max]
    try expectComparisons(bench, unsigned, [(.greater, >)])
  }

  private static func floatingPoint(_ bench: StoreBench) throws {
    try expectComparisons(
      bench,
      SampleValues.doubles,
      with: [0, -0.0, .nan, .infinity, 0.1],
      [(.equal, ==), (.notEqual, !=), (.lessOrEqual, <=)]
    )
  }

  private static func decimals(_ bench: StoreBench) throws {
    let texts = ["0.1", "0.10", "-2", "10", "9", "12345678901234567890123456789012345678"]
    let numbers = texts.map { Decimal(string: $0) ?? .nan }
    try expectComparisons(bench, numbers, [(.equal, ==), (.less, <)])
  }

  private static func absence(_ bench: StoreBench) throws {
    try specimens(bench, .int64, [.null, .integer(0), .integer(1), .null])
    try expectMatches(bench, .row("int64", .equal, .null), [0, 3])
    try expectMatches(bench, .row("int64", .notEqual, .null), [1, 2])
    try expectMatches(bench, .row("int64", .notEqual, .integer(1)), [0, 1, 3])
    try expectMatches(bench, .row("int64", .less, .integer(1)), [1])
    try expectMatches(
      bench,
      .compare(.less, .coalesce(.row("int64"), .integer(-1)), .integer(1)),
      [0, 1, 3]
    )
  }

  private static func partition(_ bench: StoreBench) throws {
    try specimens(bench, .int64, [.null, .integer(5), .integer(6), .null, .integer(7)])
    let condition = QueryExpression.row("int64", .greater, .integer(5))
    try expectMatches(bench, condition, [2, 4])
    try expectMatches(bench, .not(condition), [0, 1, 3])
    let equality = QueryExpression.row("int64", .equal, .integer(5))
    try expectMatches(bench, equality, [1])
    try expectMatches(bench, .not(equality), [0, 2, 3, 4])
  }

  private static func logic(_ bench: StoreBench) throws {
    try specimens(bench, .int64, (0..<8).map { .integer($0) })
    let low = QueryExpression.row("int64", .less, .integer(5))
    let high = QueryExpression.row("int64", .greater, .integer(2))
    try expectMatches(bench, .and([low, high]), [3, 4])
    try expectMatches(bench, .or([.not(low), .not(high)]), [0, 1, 2, 5, 6, 7])
    try expectMatches(bench, .and([low, .or([.not(high), .not(low)])]), [0, 1, 2])
    try expectMatches(bench, .constant(.bool(false)), [])
    try expectMatches(bench, .constant(.bool(true)), Array(0..<8))
  }

  private static func truthValues(_ bench: StoreBench) throws {
    try specimens(bench, .bool, [.bool(true), .bool(false), .null])
    try expectMatches(bench, .row("bool", .equal, .bool(true)), [0])
    try expectMatches(bench, .row("bool", .notEqual, .bool(true)), [1, 2])
    let value = QueryExpression.coalesce(.row("bool"), .constant(.bool(false)))
    try expectMatches(bench, value, [0])
    try expectMatches(bench, .not(value), [1, 2])
  }

  private static func otherScalars(_ bench: StoreBench) throws {
    for type in [AttributeType.data, .uuid, .url] {
      let values = SampleValues.values(of: type)
      try specimens(bench, type, values)
      for (index, value) in values.enumerated() {
        try expectMatches(bench, .row(type.rawValue, .equal, value), [index])
      }
      try bench.store.erase()
    }
  }

  private static func composites(_ bench: StoreBench) throws {
    let sizes = [3, 4, 5].map { StoreValue.composite([.init("width", .integer($0))]) }
    try specimens(bench, .codable, sizes + [.null])
    let width = QueryExpression.property(.row("codable"), "width")
    try expectMatches(bench, .compare(.greater, width, .integer(3)), [1, 2])
    try expectMatches(bench, .compare(.equal, width, .constant(.null)), [3])
  }

  private static func overflow(_ bench: StoreBench) throws {
    try specimens(bench, .int64, [.integer(.max), .integer(1), .integer(.min)])
    let next = QueryExpression.arithmetic(.add, .row("int64"), .integer(1), .int64)
    try expectMatches(bench, .compare(.greater, next, .integer(0)), [1])
    try expectMatches(bench, .not(.compare(.greater, next, .integer(0))), [2])
    let rest = QueryExpression.arithmetic(
      .divide,
      .integer(7),
      .arithmetic(.subtract, .row("int64"), .integer(1), .int64),
      .int64
    )
    try expectMatches(bench, .compare(.equal, rest, .integer(0)), [0])
  }

  private static func textSearch(_ bench: StoreBench) throws {
    let texts = ["100%", "100", "a_b", "axb", "Cafe\u{301}", "CAFE", "a\0b", "\\n", "👩‍👩‍👧‍👦"]
    try specimens(bench, .string, texts.map { .string($0) })
    let text = QueryExpression.coalesce(.row("string"), .string(""))
    for needle in ["%", "_", "100", "é", "e", "\0", "\\", "👩", "", "b"] {
      let constant = QueryExpression.string(needle)
      try expectMatches(
        bench,
        .text(.contains, text, constant),
        texts.indices.filter { hasCharacters(needle, in: texts[$0]) }
      )
      try expectMatches(
        bench,
        .text(.startsWith, text, constant),
        texts.indices.filter { texts[$0].starts(with: needle) }
      )
    }
  }

  /// Returns whether a string contains the consecutive characters of another.
  ///
  /// Foundation's `contains` would also match parts of characters.
  private static func hasCharacters(_ needle: String, in text: String) -> Bool {
    needle.isEmpty || text.indices.contains { text[$0...].starts(with: needle) }
  }

  private static func lists(_ bench: StoreBench) throws {
    try specimens(bench, .int64, (0..<6).map { .integer($0) } + [.null])
    for list in [[], [2, 4], Array(4..<40_000)] {
      let constant = QueryExpression.constant(.array(list.map { .integer(Int64($0)) }))
      try expectMatches(
        bench,
        .contains(constant, .row("int64")),
        (0..<6).filter { list.contains($0) }
      )
    }
    let range = QueryExpression.isInRange(
      .coalesce(.row("int64"), .integer(99)),
      lower: .integer(2),
      upper: .integer(4),
      closed: false
    )
    try expectMatches(bench, range, [2, 3])
  }

  private static func unknownProperties(_ bench: StoreBench) throws {
    try bench.insert("Person")
    let query = StoreQuery("Person", where: .row("wings", .equal, .integer(2)))
    try expect("the filter", throws: .invalidPredicate, .schemaMismatch) {
      _ = try bench.store.fetch(query)
    }
  }

  private static func threeResultsAgree(_ bench: StoreBench) throws {
    try specimens(bench, .int64, (0..<9).map { .integer($0 % 3) })
    for bound in Int64(0)..<4 {
      let query = StoreQuery("Specimen", where: .row("int64", .less, .integer(bound)))
      let rows = try bench.store.fetch(query).map(\.persistentIdentifier)
      try expect("the identifiers", bench.store.identifiers(query), equals: rows)
      try expect("the count", bench.store.count(query), equals: rows.count)
    }
  }
}
