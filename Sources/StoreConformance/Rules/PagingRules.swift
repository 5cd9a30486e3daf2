import StoreProtocol

/// Rules about results that are read in pages, each after the last row of the one before.
enum PagingRules {
  static let all: [Rule] = [
    Rule(
      "WINDOW-008",
      "A condition on the sort values and the key of a row continues a result after that row.",
      needs: [.nativeFiltering, .nativeSorting],
      since: 2,
      pages
    )
  ]

  private static func pages(_ bench: StoreBench) throws {
    let height = QuerySort(property: "height")
    let (name, last) = (QuerySort(property: "name"), QuerySort(property: "name", isReversed: true))
    let orders = [
      [], [height], [QuerySort(property: "height", isReversed: true)], [last, height],
      [name, QuerySort(.element(0), isReversed: true)],
    ]
    let heights: [Double?] = [2, nil, 1, .nan, 2, -0.0, 1, nil, .nan, 0, 2, 1]
    let people = heights.enumerated().map { index, height -> [String: StoreValue] in
      let name = ["\u{E9}", "a", "e\u{301}"][index % 3]
      return ["name": .string(name), "height": height.map { .double($0) } ?? .null]
    }
    for sort in orders { try pages(of: people, "Person", sort, bench) }
    // Some values occur several times.
    for type in [AttributeType.int64, .uint64, .float, .decimal, .date] {
      let values = SampleValues.values(of: type)
      let specimens = (values + [.null, .null] + values.prefix(3)).map { [type.rawValue: $0] }
      try pages(of: specimens, "Specimen", [QuerySort(property: type.rawValue)], bench)
    }
  }

  private static func pages(
    of rows: [[String: StoreValue]],
    _ entity: String,
    _ sort: [QuerySort],
    _ bench: StoreBench
  ) throws {
    let query = StoreQuery(entity: entity, sort: sort)
    for query in [query, query.reversed] { try pages(of: rows, query, bench) }
  }

  /// Reads a result in pages, while the last row of every second one is deleted and others are
  /// inserted.
  private static func pages(
    of values: [[String: StoreValue]],
    _ query: StoreQuery,
    _ bench: StoreBench
  ) throws {
    try bench.store.erase()
    _ = try bench.insert(values.map { try Sample.record(query.entity, $0) })
    let expected = try bench.store.identifiers(query)
    var found: [PersistentIdentifier] = []
    var page = query
    // One row is inserted for three that are read.
    for (round, other) in values.enumerated() {
      page.limit = 3
      let rows = try bench.store.fetch(page)
      found += rows.map(\.persistentIdentifier)
      guard let last = rows.last else { break }
      let values = query.decidingTerms.map { term -> StoreValue in
        guard case .property(_, let name) = term.value else { return .null }
        return last[name] ?? .null
      }
      page = query.following(last.persistentIdentifier, values)
      if round % 2 == 1 { try bench.delete(last.persistentIdentifier) }
      try bench.insert(query.entity, other)
    }
    let old = Set(expected)
    try expect("the rows of all pages", found.filter(old.contains), equals: expected)
    try expect("the number of rows", Set(found).count, equals: found.count)
  }
}
