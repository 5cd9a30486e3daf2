import JSONFileStore
import StoreProtocol
import StoreTestSupport
import Testing

@Suite struct `JSONFileStore explains its results` {
  private let folder: TemporaryFolder
  private let store: JSONFileStore

  /// Creates 4,000 rows: numbers 0 to 3999 in a mixed order, ten groups, strings of five digits.
  init() throws {
    let properties: [(String, AttributeType)] = [
      ("number", .int64), ("group", .int64), ("text", .string), ("plain", .int64),
    ]
    let item = StoreEntity(
      name: "Item",
      properties: properties.map { StoreProperty(name: $0, kind: .attribute($1)) },
      uniquenessConstraints: [["text"]],
      indices: [["number"], ["group", "number"]]
    )
    folder = try TemporaryFolder()
    store = try JSONFileStore(
      JSONFileStoreConfiguration(
        schema: Schema(storeSchema: StoreSchema(entities: [item])),
        url: folder.file("store.json"),
        durability: .none
      ),
      migrationPlan: nil
    )
    let rows = (0..<4_000).map { count -> DefaultSnapshot in
      let number = Int64(count * 1_237 % 4_000)
      return DefaultSnapshot(
        persistentIdentifier: PersistentIdentifier(
          scope: .init(storeIdentifier: nil, entityName: "Item"),
          key: .temporary(PersistentIdentifier.nextTemporaryNumber())
        ),
        entity: item,
        values: [
          .integer(number), .integer(number % 10), .string(String(10_000 + number)),
          .integer(number),
        ]
      )
    }
    _ = try store.apply(StoreChanges(inserted: rows))
  }

  private func property(_ name: String) -> QueryExpression { .property(.element(0), name) }

  private func equal(_ name: String, _ value: Int64) -> QueryExpression {
    .compare(.equal, property(name), .constant(.integer(value)))
  }

  private func query(
    _ filter: QueryExpression? = nil,
    sort: [QuerySort] = [],
    limit: Int? = nil
  ) -> StoreQuery {
    StoreQuery(entity: "Item", filter: filter, sort: sort, limit: limit)
  }

  /// Checks a plan and the number of results.
  private func check(
    _ query: StoreQuery,
    indexes: [String],
    rows: StoreExplanation.Cost,
    results: Int,
    sourceLocation: SourceLocation = #_sourceLocation
  ) throws {
    let explanation = try store.explain(.query(query))
    #expect(explanation.indexes == indexes, sourceLocation: sourceLocation)
    #expect(explanation.rowsExamined == rows, sourceLocation: sourceLocation)
    #expect(explanation.isNative, sourceLocation: sourceLocation)
    #expect(explanation.nativeFilter == query.filter, sourceLocation: sourceLocation)
    #expect(try store.count(query) == results, sourceLocation: sourceLocation)
    #expect(try store.fetch(query).count == results, sourceLocation: sourceLocation)
  }

  @Test func `equality examines only the equal rows`() throws {
    try check(query(equal("number", 7)), indexes: ["Item(number)"], rows: .rows(1), results: 1)
    let both = QueryExpression.and([equal("number", 7), equal("plain", 8)])
    try check(query(both), indexes: ["Item(number)"], rows: .rows(1), results: 0)
  }

  @Test func `unique strings are found by the constraint's index`() throws {
    let filter = QueryExpression.compare(
      .equal,
      property("text"),
      .constant(.string("10042"))
    )
    try check(query(filter), indexes: ["Item(text)"], rows: .rows(1), results: 1)
  }

  @Test func `several properties of one index narrow the search`() throws {
    let filter = QueryExpression.and([
      equal("group", 3), .compare(.less, property("number"), .constant(.integer(100))),
    ])
    try check(query(filter), indexes: ["Item(group, number)"], rows: .rows(10), results: 10)
  }

  @Test func `ranges, prefixes and lists examine only the matching rows`() throws {
    let range = QueryExpression.isInRange(
      property("number"),
      lower: .constant(.integer(10)),
      upper: .constant(.integer(20)),
      closed: true
    )
    try check(query(range), indexes: ["Item(number)"], rows: .rows(11), results: 11)
    let beginning = QueryExpression.text(
      .startsWith,
      property("text"),
      .constant(.string("1012"))
    )
    try check(query(beginning), indexes: ["Item(text)"], rows: .rows(10), results: 10)
    let list = StoreValue.array([.integer(5), .integer(5), .integer(-5), .integer(9)])
    let among = QueryExpression.contains(.constant(list), property("number"))
    try check(query(among), indexes: ["Item(number)"], rows: .rows(2), results: 2)
  }

  @Test func `results of indexed alternatives are combined`() throws {
    let filter = QueryExpression.or([equal("number", 7), equal("number", 9), equal("group", 7)])
    let explanation = try store.explain(.query(query(filter)))
    #expect(explanation.rowsExamined == .rows(401))
    #expect(try store.count(query(filter)) == 401)
    let half = QueryExpression.or([equal("number", 7), equal("plain", 9)])
    try check(query(half), indexes: [], rows: .rows(4_000), results: 2)
  }

  @Test func `conditions without a useful index examine all rows`() throws {
    try check(query(equal("plain", 7)), indexes: [], rows: .rows(4_000), results: 1)
    let most = QueryExpression.compare(.less, property("number"), .constant(.integer(3_900)))
    try check(query(most), indexes: [], rows: .rows(4_000), results: 3_900)
  }

  @Test func `a page of a sorted fetch examines only the page`() throws {
    for isReversed in [false, true] {
      let sort = [QuerySort(property: "number", isReversed: isReversed)]
      try check(
        query(sort: sort, limit: 20),
        indexes: ["Item(number)"],
        rows: .rows(20),
        results: 20
      )
    }
    let two = [QuerySort(property: "group"), QuerySort(property: "number")]
    try check(
      query(sort: two, limit: 20),
      indexes: ["Item(group, number)"],
      rows: .rows(20),
      results: 20
    )
  }

  @Test func `a filtered page uses the order of an index`() throws {
    let query = query(
      .not(equal("plain", 3_999)),
      sort: [QuerySort(property: "number", isReversed: true)],
      limit: 5
    )
    let explanation = try store.explain(.query(query))
    #expect(explanation.indexes == ["Item(number)"])
    #expect(explanation.steps.last == "in the order of the index, backwards")
    let numbers = try store.fetch(query).compactMap { $0["number"] }
    #expect(numbers == [3_998, 3_997, 3_996, 3_995, 3_994].map(StoreValue.integer))
  }

  @Test func `an order without an index is sorted in memory`() throws {
    let sort = [QuerySort(property: "plain")]
    try check(query(sort: sort, limit: 20), indexes: [], rows: .rows(4_000), results: 20)
    let explanation = try store.explain(.query(query(sort: sort)))
    #expect(explanation.steps.last == "sorted in memory")
  }

  @Test func `one index both filters and sorts`() throws {
    let query = query(
      equal("group", 4),
      sort: [QuerySort(property: "group"), QuerySort(property: "number", isReversed: true)],
      limit: 3
    )
    try check(query, indexes: ["Item(group, number)"], rows: .rows(3), results: 3)
    let numbers = try store.fetch(query).compactMap { $0["number"] }
    #expect(numbers == [3_994, 3_984, 3_974].map(StoreValue.integer))
  }

  @Test func `rows by identifier are looked up`() throws {
    let some = try store.identifiers(query(limit: 3))
    let filter = QueryExpression.and([
      .contains(.constant(.identifiers(some)), .element(0)), equal("plain", 0),
    ])
    try check(query(filter), indexes: [], rows: .rows(3), results: 1)
  }

  @Test func `selections explain how their rows are found`() throws {
    let grouped = StoreSelection(query(equal("group", 1)), groups: [], columns: [.count])
    let explanation = try store.explain(.selection(grouped))
    #expect(explanation.indexes == ["Item(group, number)"])
    #expect(explanation.steps.count == 2 && explanation.isNative)
  }

  @Test func `a changed row is found immediately by its new value`() throws {
    let before = try #require(try store.identifiers(query(equal("number", 7))).first)
    let change = StoreUpdate(
      identifier: before,
      changes: [StoreUpdate.Change(0, .integer(70_000))]
    )
    _ = try store.apply(StoreChanges(updated: [change]))
    try check(query(equal("number", 7)), indexes: ["Item(number)"], rows: .rows(0), results: 0)
    try check(query(equal("number", 70_000)), indexes: ["Item(number)"], rows: .rows(1), results: 1)
  }
}
