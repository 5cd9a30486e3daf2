import Foundation
import StoreProtocol

/// Rules about the order of results.
enum SortingRules {
  static let all: [Rule] = [
    Rule("SORT-001", "Without a sort order, rows are sorted by key.", byKeys),
    Rule(
      "SORT-002",
      "A store that does not sort leaves each order to the layer above.",
      needs: [.lacking(.nativeSorting)],
      foreignOrders
    ),
    sort(
      "SORT-003",
      "Each type sorts as in Swift, with nil first, or last in reverse order.",
      orders
    ),
    sort("SORT-004", "Rows with equal sort values are sorted by key.", ties),
    sort("SORT-005", "Later sort terms decide if earlier ones are equal.", severalTerms),
    sort(
      "SORT-006",
      "Canonically equivalent strings are equal in a sort order.",
      equivalentStrings
    ),
    sort(
      "SORT-007",
      "A sort order can follow a reference; the value is nil if the reference is nil.",
      paths
    ),
    sort("SORT-008", "A sort order can use a computed value.", computed),
    sort("SORT-009", "Rows of several entities are sorted together.", families),
    Rule(
      "SORT-011",
      "More than a thousand strings that differ late are sorted completely.",
      needs: [.nativeSorting],
      since: 2,
      lateDifferences
    ),
  ]

  private static let sort = Rule.making(needs: [.nativeSorting])

  private static func byKeys(_ bench: StoreBench) throws {
    _ = try bench.insert("Person", named: ["c", "a", "b"])
    let people = try bench.store.identifiers(StoreQuery(entity: "Person"))
    guard let first = people.first else {
      throw RuleViolation("the identifiers", expected: "three", found: "none")
    }
    try bench.update(first, ["age": .integer(1)])
    try expect("the rows", bench.names(of: "Person"), equals: ["c", "a", "b"])
    let asked = StoreQuery.rows(people.reversed(), of: "Person")
    try expect("the rows by identity", bench.names(asked), equals: ["c", "a", "b"])
  }

  private static func foreignOrders(_ bench: StoreBench) throws {
    let query = StoreQuery(entity: "Person", sort: [QuerySort(property: "age")])
    let plan = try bench.store.plan(.query(query))
    try expect("the store's part of the order", plan.sorts, equals: false)
    let explanation = try bench.store.explain(.query(query))
    try expect("the order in the explanation", explanation.sortsNatively, equals: false)
  }

  private static func orders(_ bench: StoreBench) throws {
    let sorted: [(AttributeType, [StoreValue])] = [
      (.bool, [.null, .bool(false), .bool(true)]),
      (.int64, [.null, .integer(.min), .integer(-1), .integer(0), .integer(.max)]),
      (
        .uint64,
        [
          .null, .integer(0), .integer(.max), .unsigned(UInt64(Int64.max) + 1),
          .unsigned(.max),
        ]
      ),
      (
        .double,
        [
          .null, .double(-.infinity), .double(-1), .double(0), .double(1e-300), .double(1),
          .double(.infinity), .double(.nan),
        ]
      ),
      (
        .string,
        ["", "10", "9", "Z", "a", "e\u{301}", "\u{10000}"].reduce(into: [.null]) {
          $0.append(.string($1))
        }
      ),
      (
        .date,
        [
          .null, .date(.distantPast), .date(Date(timeIntervalSinceReferenceDate: 0)),
          .date(Date(timeIntervalSinceReferenceDate: 0.000_1)), .date(.distantFuture),
        ]
      ),
      (.decimal, [.null, .decimal(-10), .decimal(9), .decimal(10)]),
    ]
    for (type, values) in sorted { try expectOrder(bench, type, values) }
  }

  /// Inserts values in a mixed order and checks that a fetch returns them sorted, forward and
  /// reversed.
  private static func expectOrder(
    _ bench: StoreBench,
    _ type: AttributeType,
    _ values: [StoreValue]
  ) throws {
    let mixed = values.enumerated().sorted { ($0.offset * 7) % 11 < ($1.offset * 7) % 11 }
    _ = try bench.insert(
      mixed.map {
        try Sample.record("Specimen", ["name": .string("\($0.offset)"), type.rawValue: $0.element])
      }
    )
    var query = StoreQuery(entity: "Specimen", sort: [QuerySort(property: type.rawValue)])
    let expected = values.indices.map(String.init)
    try expect("the order of \(type) values", bench.names(query), equals: expected)
    query.sort[0].isReversed = true
    try expect(
      "the reversed order of \(type) values",
      bench.names(query),
      equals: expected.reversed()
    )
    try bench.store.erase()
  }

  private static func ties(_ bench: StoreBench) throws {
    let values: [Double?] = [0, 1, -0.0, nil, 1, 0, nil]
    _ = try bench.insert(
      values.enumerated().map { index, value in
        try Sample.record(
          "Person",
          ["name": .string("\(index)"), "height": value.map { .double($0) } ?? .null]
        )
      }
    )
    var query = StoreQuery(entity: "Person", sort: [QuerySort(property: "height")])
    let forward = ["3", "6", "0", "2", "5", "1", "4"]
    try expect("equal values", bench.names(query), equals: forward)
    query.sort[0].isReversed = true
    let reversed = ["1", "4", "0", "2", "5", "3", "6"]
    try expect("equal values, reversed", bench.names(query), equals: reversed)
  }

  private static func severalTerms(_ bench: StoreBench) throws {
    let rows: [(String, Int64)] = [("b", 1), ("a", 2), ("b", 2), ("a", 1), ("b", 2)]
    _ = try bench.insert(
      rows.map { try Sample.record("Person", ["name": .string($0.0), "age": .integer($0.1)]) }
    )
    let query = StoreQuery(
      entity: "Person",
      sort: [QuerySort(property: "name", isReversed: true), QuerySort(property: "age")]
    )
    let keys = try bench.store.identifiers(StoreQuery(entity: "Person"))
    try expect("the identifiers", keys.count, equals: 5)
    try bench.expectRows("in their order", query, equal: [0, 2, 4, 3, 1].map { keys[$0] })
  }

  private static func equivalentStrings(_ bench: StoreBench) throws {
    let texts = ["\u{212A}", "K", "e\u{301}", "\u{E9}", "L", "e\u{301}"]
    let people = try bench.insert("Person", named: texts)
    let query = StoreQuery(entity: "Person", sort: [QuerySort(property: "name")])
    let expected = [0, 1, 4, 2, 3, 5].map { people[$0] }
    try expect("the rows", bench.store.identifiers(query), equals: expected)
  }

  private static func paths(_ bench: StoreBench) throws {
    let people = try bench.insert("Person", named: ["Bob", "Ada"])
    for (name, owner) in [("x", 0), ("y", 1), ("z", 0)] {
      try bench.insert("Dog", ["name": .string(name), "owner": .identifier(people[owner])])
    }
    try bench.insert("Cat", ["name": .string("stray")])
    let term = QuerySort(.property(.row("owner"), "name"))
    let query = StoreQuery(entity: "Animal", sort: [term])
    try expect("the rows", bench.names(query), equals: ["stray", "y", "x", "z"])
  }

  private static func computed(_ bench: StoreBench) throws {
    let people = try bench.insert("Person", named: ["none", "two", "one"])
    for owner in [people[1], people[2], people[1]] {
      try bench.insert("Dog", ["owner": .identifier(owner)])
    }
    let query = StoreQuery(
      entity: "Person",
      sort: [QuerySort(.aggregate(.count, .row("pets")), isReversed: true)]
    )
    try expect("the rows", bench.names(query), equals: ["two", "one", "none"])
  }

  private static func families(_ bench: StoreBench) throws {
    for (entity, name) in [("Cat", "d"), ("Dog", "b"), ("Puppy", "c"), ("Animal", "a")] {
      try bench.insert(entity, ["name": .string(name)])
    }
    let query = StoreQuery(entity: "Animal", sort: [QuerySort(property: "name")])
    try expect("the rows", bench.names(query), equals: ["a", "b", "c", "d"])
  }

  private static func lateDifferences(_ bench: StoreBench) throws {
    let count = 1_200
    let start = String(repeating: "x", count: 200)
    // 7 and 1,200 have no common divisor, so that each number occurs once.
    let texts = (0..<count).map { "\(start)\(10_000 + $0 * 7 % count)" }
    _ = try bench.insert("Person", named: texts)
    var query = StoreQuery(entity: "Person", sort: [QuerySort(property: "name")])
    func expectNames(_ expected: [String]) throws {
      let found = try bench.names(query)
      let index = zip(found, expected).prefix { $0 == $1 }.count
      try expect("the number of strings in order", index, equals: expected.count)
      try expect("the number of strings", found.count, equals: expected.count)
    }
    try expectNames(texts.sorted())
    query.sort[0].isReversed = true
    (query.offset, query.limit) = (100, 1_050)
    try expectNames(Array(texts.sorted().reversed().dropFirst(100).prefix(1_050)))
  }
}
