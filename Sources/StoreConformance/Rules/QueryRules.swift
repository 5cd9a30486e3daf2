import StoreProtocol

/// Rules about filters, which follow the semantics of Swift.
enum QueryRules {
  static let all: [Rule] = [
    Rule("QUERY-001", "A query returns the rows of its entity and of its subentities.", families),
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
    filter(
      "QUERY-016",
      "nil equals only nil, and is neither less nor greater than any value.",
      absence
    ),
    filter("QUERY-018", "Conditions can be combined with and, or and not.", logic),
    filter("QUERY-022", "A row for which an expression overflows does not match.", overflow),
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

  private static func families(_ bench: StoreBench) throws {
    for entity in ["Cat", "Animal", "Puppy", "Dog", "Person"] {
      try bench.insert(entity, ["name": .string(entity)])
    }
    try expect("animals", bench.names(of: "Animal"), equals: ["Cat", "Animal", "Puppy", "Dog"])
    try expect("dogs", bench.names(of: "Dog"), equals: ["Puppy", "Dog"])
    try expect("puppies", bench.names(of: "Puppy"), equals: ["Puppy"])
  }

  private static func unknownEntities(_ bench: StoreBench) throws {
    let (store, query) = (try bench.store, StoreQuery(entity: "Unicorn"))
    let row = try bench.insert("Dog")
    let requests: [() throws -> Void] = [
      { _ = try store.fetch(query) }, { _ = try store.count(query) },
      { _ = try store.identifiers(query) }, { try store.read(query) { _ in } },
      { _ = try store.fetch(.rows([row], of: "Unicorn")) },
    ]
    for request in requests {
      try expect("a request", throws: .schemaMismatch, .invalidPredicate, by: request)
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
    let part = try bench.store.plan(.query(query))
    try expect("the store's part of the filter", part.filter, equals: nil)
    try expect("the rest of the filter", part.remaining, equals: query.filter)
    let plan = try bench.store.explain(.query(query))
    try expect("the rest in the explanation", plan.remainingFilter, equals: query.filter)
    try expect("the rows without the filter", bench.names(of: "Person"), equals: ["a", "b"])
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

  private static func unknownProperties(_ bench: StoreBench) throws {
    try bench.insert("Person")
    let query = StoreQuery("Person", where: .row("wings", .equal, .integer(2)))
    try expect("the filter", throws: .invalidPredicate, .schemaMismatch) {
      _ = try bench.store.fetch(query)
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
