import StoreProtocol

/// Rules about offset and limit.
enum WindowRules {
  static let all: [Rule] = [
    Rule("WINDOW-001", "A limit returns the first rows.", limits),
    Rule("WINDOW-002", "An offset skips the first rows.", offsets),
    Rule("WINDOW-003", "Offset and limit together return a range of the result.", slices),
    Rule("WINDOW-004", "Offset and limit past the end return the rows that exist.", pastTheEnd),
    Rule("WINDOW-005", "Offset and limit also apply to counts and identifiers.", countsSeeWindow),
    Rule(
      "WINDOW-006",
      "Offset and limit apply after the filter and the sort order.",
      needs: [.nativeFiltering, .nativeSorting],
      windowIsLast
    ),
    .second("WINDOW-007", "Offset and limit also apply to a query by identity.", identities),
    Rule(
      "WINDOW-008",
      "A condition on the sort values and the key of a row continues a result after that row.",
      needs: [.nativeFiltering, .nativeSorting],
      since: 2,
      pages
    ),
  ]

  private static func query(_ offset: Int, _ limit: Int?) -> StoreQuery {
    StoreQuery(entity: "Person", offset: offset, limit: limit)
  }

  private static func people(_ bench: StoreBench) throws -> [String] {
    let names = (0..<7).map { "p\($0)" }
    _ = try bench.insert("Person", named: names)
    return names
  }

  private static func limits(_ bench: StoreBench) throws {
    let names = try people(bench)
    for limit in 0...7 {
      let found = try bench.names(query(0, limit))
      try expect("with limit \(limit)", found, equals: Array(names.prefix(limit)))
    }
  }

  private static func offsets(_ bench: StoreBench) throws {
    let names = try people(bench)
    for offset in 0...7 {
      let found = try bench.names(query(offset, nil))
      try expect("with offset \(offset)", found, equals: Array(names.dropFirst(offset)))
    }
  }

  private static func slices(_ bench: StoreBench) throws {
    let names = try people(bench)
    for offset in 0...7 {
      for limit in [0, 1, 3, 7] {
        let expected = Array(names.dropFirst(offset).prefix(limit))
        let found = try bench.names(query(offset, limit))
        try expect("with offset \(offset) and limit \(limit)", found, equals: expected)
      }
    }
  }

  private static func pastTheEnd(_ bench: StoreBench) throws {
    let names = try people(bench)
    try expect("an offset past the end", bench.names(query(100, nil)), equals: [])
    try expect("a window past the end", bench.names(query(100, 2)), equals: [])
    try expect("a limit past the end", bench.names(query(5, 100)), equals: ["p5", "p6"])
    try expect("the largest limit", bench.names(query(0, .max)), equals: names)
    try expect("the largest window", bench.names(query(.max, .max)), equals: [])
  }

  private static func countsSeeWindow(_ bench: StoreBench) throws {
    _ = try people(bench)
    for (offset, limit) in [(0, 3), (2, nil), (5, 4), (9, 1), (0, 0)] as [(Int, Int?)] {
      let query = query(offset, limit)
      let rows = try bench.store.fetch(query).map(\.persistentIdentifier)
      let subject = "with offset \(offset) and limit \(limit.map(String.init) ?? "none")"
      try bench.expectRows(subject, query, equal: rows)
    }
  }

  private static func identities(_ bench: StoreBench) throws {
    let rows = try bench.insert("Person", named: ["a", "b", "c", "d", "e"])
    let asked = [3, 0, 4, 1].map { rows[$0] }
    for (offset, limit) in [(1, nil), (0, 2), (1, 2), (9, nil), (0, 0)] as [(Int, Int?)] {
      var query = StoreQuery.rows(asked, of: "Person")
      (query.offset, query.limit) = (offset, limit)
      let expected = Array(asked.sorted().dropFirst(offset).prefix(limit ?? .max))
      let subject = "with offset \(offset) and limit \(limit.map(String.init) ?? "none")"
      try bench.expectRows(subject, query, equal: expected)
    }
  }

  private static func windowIsLast(_ bench: StoreBench) throws {
    for age in [5, 1, 4, 2, 3] {
      try bench.insert("Person", ["name": .string("\(age)"), "age": .integer(Int64(age))])
    }
    var query = StoreQuery("Person", where: .row("age", .greater, .integer(1)))
    query.sort = [QuerySort(property: "age", isReversed: true)]
    query.offset = 1
    query.limit = 2
    try expect("the rows", bench.names(query), equals: ["4", "3"])
    try expect("the count", bench.store.count(query), equals: 2)
  }

  private static func pages(_ bench: StoreBench) throws {
    let height = QuerySort(property: "height")
    let (name, last) = (QuerySort(property: "name"), QuerySort(property: "name", isReversed: true))
    let orders = [
      [], [height], [QuerySort(property: "height", isReversed: true)], [last, height],
      [name, QuerySort(.element(0), isReversed: true)],
    ]
    for sort in orders {
      let query = StoreQuery(entity: "Person", sort: sort)
      for query in [query, query.reversed] { try pages(of: query, bench) }
    }
  }

  /// Reads a result in pages, while the last row of each is deleted and others are inserted.
  private static func pages(of query: StoreQuery, _ bench: StoreBench) throws {
    try bench.store.erase()
    let heights: [Double?] = [2, nil, 1, .nan, 2, -0.0, 1, nil, .nan, 0, 2, 1]
    func records(_ heights: [Double?]) throws -> [DefaultSnapshot] {
      try heights.enumerated().map { index, height in
        let name = ["\u{E9}", "a", "e\u{301}"][index % 3]
        return try Sample.record(
          "Person",
          ["name": .string(name), "height": height.map { .double($0) } ?? .null]
        )
      }
    }
    _ = try bench.insert(records(heights))
    let expected = try bench.store.identifiers(query)
    var found: [PersistentIdentifier] = []
    var page = query
    // One row is inserted for three that are read.
    for round in 0..<heights.count {
      page.limit = 3
      let rows = try bench.store.fetch(page)
      found += rows.map(\.persistentIdentifier)
      guard let last = rows.last else { break }
      let values = query.decidingTerms.map { term -> StoreValue in
        guard case .property(_, let name) = term.value else { return .null }
        return last[name] ?? .null
      }
      page = query.following(last.persistentIdentifier, values)
      try bench.delete(last.persistentIdentifier)
      _ = try bench.insert(records([heights[round]]))
    }
    let old = Set(expected)
    try expect("the rows of all pages", found.filter(old.contains), equals: expected)
    try expect("the number of rows", Set(found).count, equals: found.count)
  }
}
