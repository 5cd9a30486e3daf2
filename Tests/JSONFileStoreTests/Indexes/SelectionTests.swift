import JSONFileStore
import QueryEvaluation
import StoreProtocol
import StoreTestSupport
import Testing

@Suite struct `JSONFileStore computes selections` {
  private func property(_ name: String) -> QueryExpression { .property(.element(0), name) }

  private func results(
    _ selection: StoreSelection,
    _ select: (StoreSelection, ([StoreValue]) throws -> Void) throws -> Void
  ) throws -> [String] {
    var rows: [String] = []
    // As strings, because NaN does not equal itself.
    try select(selection) { rows.append("\($0)") }
    return rows
  }

  /// The evaluator's result.
  private func expected(_ selection: StoreSelection, _ indexed: IndexedStore) throws -> [String] {
    let rows = try indexed.rows()
    let judge = indexed.evaluator(rows)
    return try results(selection) { try judge.evaluate($0, over: rows, $1) }
  }

  private static let functions = StoreSelection.Function.allCases

  @Test(arguments: UInt64(31)...34)
  func `as the evaluator does`(_ seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    let indexed = try IndexedStore()
    try indexed.change(&random, inserting: 200, updating: 0, deleting: 0)
    try indexed.change(&random, inserting: 0, updating: 50, deleting: 30)
    var maker = RandomIndexQueries(
      random: SeededGenerator(seed: seed + 100),
      identifiers: indexed.identifiers
    )
    for _ in 0..<40 {
      let query = maker.query()
      let keys =
        (["rank", "flag", "text", "real", "owner"].map(property)
        + [ofOwner("text"), ofOwner("rank"), .coalesce(ofOwner("real"), ofOwner("real"))])
        .shuffled(using: &random).prefix(2)
      let selections = [
        StoreSelection(query, columns: [.value(property("text")), .value(property("owner"))]),
        StoreSelection(query, groups: [], columns: [.count]),
        StoreSelection(query, groups: [], columns: [.count] + aggregates(&random)),
        StoreSelection(
          query,
          groups: Array(keys),
          columns: [.key(1), .count, .key(0)] + aggregates(&random),
          having: .compare(.greater, StoreSelection.column(1), .constant(.integer(1))),
          order: [QuerySort(StoreSelection.column(1), isReversed: true)]
        ),
      ]
      for selection in selections {
        let found = try results(selection) { try indexed.store.select($0, $1) }
        #expect(try found == expected(selection, indexed), "seed \(seed): \(selection)")
      }
    }
  }

  private func aggregates(_ random: inout SeededGenerator) -> [StoreSelection.Column] {
    [
      (property("small"), AttributeType.int8), (property("real"), .double),
      (ofOwner("rank"), .int64),
    ].map { value, type in
      let function = Self.functions.randomElement(using: &random) ?? .count
      return .aggregate(function, value, type)
    }
  }

  /// A property of a thing's owner.
  private func ofOwner(_ name: String) -> QueryExpression {
    .map(property("owner"), variable: 1, body: .property(.element(1), name))
  }

  @Test func `groups by values of a referenced row are computed once for each row`() throws {
    let indexed = try IndexedStore()
    var random = SeededGenerator(seed: 6)
    try indexed.change(&random, inserting: 60, updating: 0, deleting: 0)
    let query = StoreQuery(entity: "Thing", includesSubentities: false)
    func hasOwnGroups(_ keys: QueryExpression...) throws -> Bool {
      try indexed.store.hasOwnGroups(keys, of: query)
    }
    #expect(try hasOwnGroups(property("owner")))
    #expect(try hasOwnGroups(ofOwner("text"), property("rank")))
    // These depend on more than the row's owner.
    #expect(try !hasOwnGroups(.compare(.equal, ofOwner("rank"), property("rank"))))
    #expect(try !hasOwnGroups(.element(0)))
  }

  @Test func `the count of an indexed filter needs no row`() throws {
    var random = SeededGenerator(seed: 5)
    let indexed = try IndexedStore()
    try indexed.change(&random, inserting: 50, updating: 0, deleting: 0)
    let filter = QueryExpression.compare(.equal, property("rank"), .constant(.integer(1)))
    let query = StoreQuery(entity: "Thing", filter: filter)
    let selection = StoreSelection(query, groups: [], columns: [.count, .count])
    let count = StoreValue.integer(Int64(try indexed.store.fetch(query).count))
    #expect(try results(selection) { try indexed.store.select($0, $1) } == ["\([count, count])"])
    let explanation = try indexed.store.explain(.selection(selection))
    // One for each entity.
    #expect(explanation.indexes.count == 2)
    #expect(explanation.steps.last == "the rows found are counted")
  }

  @Test func `columns outside the groups are refused`() throws {
    let indexed = try IndexedStore()
    let query = StoreQuery(entity: "Thing")
    for selection in [
      StoreSelection(query, columns: [.count]),
      StoreSelection(query, groups: [], columns: [.key(0)]),
      StoreSelection(query, groups: [], columns: [.value(property("rank"))]),
    ] {
      #expect(throws: DataStoreError.invalidPredicate) {
        try indexed.store.select(selection) { _ in }
      }
    }
  }
}
