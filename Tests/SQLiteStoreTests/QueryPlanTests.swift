import Foundation
import SQLiteStore
import StoreProtocol
import Testing

@Suite("A query in SQL")
struct QueryPlanTests {
  private let log = StatementLog()
  private let store: SQLiteStore

  init() throws {
    store = try SQLiteStore.inMemory(log: log)
  }

  private func property(_ name: String) -> QueryExpression {
    .property(.element(0), name)
  }

  private let now = StoreValue.date(Date(timeIntervalSinceReferenceDate: 700_000_000))

  @Test func `uses an index for an equality`() throws {
    let query = StoreQuery(
      entity: "Trip",
      filter: .compare(.equal, property("name"), .constant(.string("a")))
    )
    #expect(try store.plan(query).steps.contains("USING INDEX"))
    #expect(try store.plan(query).steps.contains("name=?"))
  }

  @Test func `uses an index for a range`() throws {
    let query = StoreQuery(
      entity: "Trip",
      filter: .compare(.greater, property("start"), .constant(now))
    )
    #expect(
      try store.plan(query).steps
        == "SEARCH Trip USING INDEX Trip(start) (start>?); USE TEMP B-TREE FOR ORDER BY"
    )
  }

  @Test func `uses an index for an order, including ties`() throws {
    var query = StoreQuery(entity: "Trip", sort: [QuerySort(property: "start")])
    query.limit = 20
    #expect(try store.plan(query).steps == "SCAN Trip USING INDEX Trip(start)")
  }

  @Test func `uses both columns of an index`() throws {
    let query = StoreQuery(
      entity: "Values",
      filter: .and([
        .compare(.equal, property("string"), .constant(.string("a"))),
        .compare(.less, property("date"), .constant(now)),
      ])
    )
    #expect(
      try store.plan(query).steps
        .hasPrefix("SEARCH Values USING INDEX Values(string, date) (string=? AND date<?)")
    )
  }

  @Test func `finds related objects by the index of their foreign key`() throws {
    let query = StoreQuery(
      entity: "Item",
      filter: .contains(
        .constant(.identifiers((1...3).map { identifier("Trip", $0) })),
        property("trip")
      )
    )
    #expect(try store.plan(query).steps.contains("SEARCH Item USING INDEX Item(trip) (trip=?)"))
  }

  @Test func `finds rows by their keys`() throws {
    let one = StoreQuery.rows([identifier("Trip", 1)], of: "Trip")
    #expect(try store.plan(one).steps == "SEARCH Trip USING INTEGER PRIMARY KEY (rowid=?)")
  }

  private func identifier(_ entity: String, _ key: Int64) -> PersistentIdentifier {
    PersistentIdentifier(
      scope: .init(storeIdentifier: store.identifier, entityName: entity),
      key: .integer(key)
    )
  }

  @Test func `contains no value of the query in its SQL`() throws {
    let secret = "x'; DROP TABLE Trip; --"
    let query = StoreQuery(
      entity: "Trip",
      filter: .or([
        .compare(.equal, property("name"), .constant(.string(secret))),
        .contains(.constant(.array([.string(secret)])), property("name")),
        .compare(.equal, property("days"), .constant(.integer(4711))),
      ]),
      offset: 4712,
      limit: 4713
    )
    let sql = try store.plan(query).sql
    for word in ["DROP", "4711", "4712", "4713"] { #expect(!sql.contains(word)) }
  }

  @Test func `accepts lists of any length`() throws {
    let item = try store.insert([.new(SampleSchema.item)])[0]
    let keys = (0..<100_000).map { identifier("Item", Int64($0)) }
    let query = StoreQuery(
      entity: "Item",
      filter: .contains(.constant(.identifiers(keys)), .element(0))
    )
    #expect(try store.identifiers(query) == [item])
    let titles = (0..<30_000).map { StoreValue.string(String($0)) }
    let other = StoreQuery(
      entity: "Item",
      filter: .contains(.constant(.array(titles)), property("title"))
    )
    #expect(try store.count(other) == 0)
  }

  @Test(arguments: [10, 1_000, 20_000])
  func `accepts conditions of any length`(_ length: Int) throws {
    let records = (0..<3).map { _ in
      DefaultSnapshot.new(SampleSchema.item, ["title": .string("7")])
    }
    let items = try store.insert(records)
    let terms = (0..<length).map {
      QueryExpression.compare(.equal, property("title"), .constant(.string(String($0))))
    }
    #expect(try store.identifiers(StoreQuery(entity: "Item", filter: .or(terms))) == items)
    let window = StoreQuery(entity: "Item", filter: .or(terms), offset: 1, limit: 1)
    #expect(try store.fetch(window).map(\.persistentIdentifier) == [items[1]])
    let none = terms.map { QueryExpression.not($0) }
    #expect(try store.identifiers(StoreQuery(entity: "Item", filter: .and(none))) == [])
  }

  @Test func `accepts conditions up to the maximum depth`() throws {
    let items = try store.insert([.new(SampleSchema.item, ["title": .string("a")])])
    var filter = QueryExpression.compare(.equal, property("title"), .constant(.string("a")))
    for _ in 0..<30 { filter = .not(.or([filter, .constant(.bool(false))])) }
    #expect(try store.identifiers(StoreQuery(entity: "Item", filter: filter)) == items)
    for _ in 0..<2 { filter = .not(.or([filter, .constant(.bool(false))])) }
    #expect(throws: DataStoreError.invalidPredicate) {
      try store.identifiers(StoreQuery(entity: "Item", filter: filter))
    }
  }
}

@Suite("The SQL work of a store")
struct CountingTests {
  private let log = StatementLog()
  private let store: SQLiteStore

  init() throws {
    store = try SQLiteStore.inMemory(log: log)
    try store.insert(
      (0..<50).map { .new(SampleSchema.item, ["title": .string("item \($0)")]) }
    )
  }

  private let query = StoreQuery(
    entity: "Item",
    filter: .compare(.greater, .property(.element(0), "title"), .constant(.string("item 3")))
  )

  private func counts(_ body: () throws -> Void) rethrows -> StatementLog.Counts {
    log.clear()
    try body()
    return log.counts
  }

  @Test func `for a count is one row`() throws {
    var count = 0
    let counts = try counts { count = try store.count(query) }
    #expect(count == 26)
    let rows = counts.texts.filter { $0.hasPrefix("SELECT count") }
    #expect(rows.count == 1)
    // One step for the column's comparison flag, one for the count.
    #expect(counts.stepped == 2)
  }

  @Test func `for identifiers is a read of only the keys`() throws {
    let counts = try counts { _ = try store.identifiers(query) }
    let reading = counts.texts.filter { $0.contains("FROM \"Item\"") }
    #expect(reading.count == 1)
    #expect(reading.first?.hasPrefix("SELECT \"_key\" FROM \"Item\" WHERE") == true)
  }

  @Test func `for a query of the same shape needs no new statement`() throws {
    _ = try store.fetch(query)
    var other = query
    other.filter = .compare(
      .greater,
      .property(.element(0), "title"),
      .constant(.string("item 4"))
    )
    let counts = try counts { _ = try store.fetch(other) }
    #expect(counts.prepared == 0)
  }

  @Test func `for a row by its key is one statement`() throws {
    let identifier = try store.identifiers(StoreQuery(entity: "Item"))[3]
    var title = ""
    let counts = try counts {
      try store.read(.rows([identifier], of: "Item")) { title = try $0.string(at: 0) }
    }
    #expect(title == "item 3")
    #expect(counts.texts.count == 1)
  }

  @Test func `for the related objects of many owners is one query`() throws {
    let trips = try store.insert((0..<20).map { _ in .new(SampleSchema.trip) })
    try store.insert(
      trips.flatMap { trip in
        (0..<3).map { _ in .new(SampleSchema.item, ["trip": .identifier(trip)]) }
      }
    )
    let counts = try counts {
      let members = try store.members(of: "items", in: "Trip", owners: trips)
      #expect(members.count == 20)
      #expect(members.values.allSatisfy { $0.count == 3 })
    }
    #expect(counts.texts.count == 2)
  }

  @Test func `for a thousand new rows needs no new prepared statement`() throws {
    _ = try store.insert([.new(SampleSchema.item)])
    let counts = try counts {
      try store.insert((0..<1_000).map { _ in .new(SampleSchema.item) })
    }
    #expect(counts.prepared == 0)
    #expect(counts.texts.count < 1_020)
  }
}
