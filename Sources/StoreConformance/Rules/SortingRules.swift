import Foundation
import StoreProtocol

/// Rules about the order of results, and about offset and limit.
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
    Rule(
      "SORT-011",
      "More than a thousand strings that differ late are sorted completely.",
      needs: [.nativeSorting],
      since: 2,
      lateDifferences
    ),
    Rule("WINDOW-001", "A limit returns the first rows.", limits),
    Rule("WINDOW-002", "An offset skips the first rows.", offsets),
    Rule("WINDOW-004", "Offset and limit past the end return the rows that exist.", pastTheEnd),
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
    let unsorted: Set<AttributeType> = [.data, .uuid, .url, .codable]
    for type in SampleValues.types where !unsorted.contains(type) {
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

  private static func pastTheEnd(_ bench: StoreBench) throws {
    let names = (0..<7).map { "p\($0)" }
    _ = try bench.insert("Person", named: names)
    let windows: [(offset: Int, limit: Int?, names: [String])] = [
      (100, nil, []), (100, 2, []), (5, 100, ["p5", "p6"]), (0, .max, names), (.max, .max, []),
    ]
    for (offset, limit, expected) in windows {
      let query = StoreQuery(entity: "Person", offset: offset, limit: limit)
      let subject = "the rows with offset \(offset) and limit \(limit.map(String.init) ?? "none")"
      try expect(subject, bench.names(query), equals: expected)
    }
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

  private static func limits(_ bench: StoreBench) throws {
    let names = (0..<7).map { "p\($0)" }
    _ = try bench.insert("Person", named: names)
    for limit in 0...7 {
      let found = try bench.names(StoreQuery(entity: "Person", limit: limit))
      try expect("with limit \(limit)", found, equals: Array(names.prefix(limit)))
    }
  }

  private static func offsets(_ bench: StoreBench) throws {
    let names = (0..<7).map { "p\($0)" }
    _ = try bench.insert("Person", named: names)
    for offset in 0...7 {
      let found = try bench.names(StoreQuery(entity: "Person", offset: offset))
      try expect("with offset \(offset)", found, equals: Array(names.dropFirst(offset)))
    }
  }
}
