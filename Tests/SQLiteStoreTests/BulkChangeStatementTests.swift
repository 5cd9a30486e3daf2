import Foundation
import SQLiteStore
import StoreProtocol
import StoreTestSupport
import Testing

@Suite("A bulk change")
struct BulkChangeStatementTests {
  private let log = StatementLog()
  private let store: SQLiteStore
  private let trips: [PersistentIdentifier]

  init() throws {
    store = try SQLiteStore.inMemory(log: log)
    trips = try store.insert(
      (0..<20).map { number in
        .new(
          SampleSchema.trip,
          ["name": .string("trip \(number)"), "days": .integer(Int64(number))]
        )
      }
    )
    try store.insert(
      (0..<20).map { number in
        .new(
          SampleSchema.item,
          ["title": .string("item \(number)"), "trip": .identifier(trips[number / 2])]
        )
      }
    )
    log.clear()
  }

  private func days(_ comparison: QueryExpression.Comparison, _ number: Int64) -> StoreQuery {
    StoreQuery(
      entity: "Trip",
      filter: .compare(comparison, .property(.element(0), "days"), .constant(.integer(number)))
    )
  }

  /// The statements that changed a table, without those that read rows for the history.
  private func statements(on table: String) -> [String] {
    log.counts.texts.filter { $0.contains("\"\(table)\"") && !$0.hasPrefix("SELECT") }
  }

  @Test func `deletes rows with one statement, and SQLite sets references to null`() throws {
    let result = try store.apply(
      StoreChanges(bulkChanges: [.delete(days(.less, 5))])
    )
    #expect(Set(result.deleted) == Set(trips[..<5]))
    #expect(statements(on: "Trip").map { $0.prefix(18) } == [#"DELETE FROM "Trip""#])
    #expect(statements(on: "Item") == [])
    let left = try store.fetch(StoreQuery(entity: "Item"))
    #expect(left.count == 20)
    #expect(left.filter { $0["trip"] == .null }.count == 10)
    #expect(try store.count(StoreQuery(entity: "Trip")) == 15)
  }

  @Test func `updates rows with one statement`() throws {
    let result = try store.apply(
      StoreChanges(bulkChanges: [
        .update(days(.greaterOrEqual, 15), [StoreAssignment("days", .constant(.integer(0)))])
      ]
      )
    )
    #expect(Set(result.updated) == Set(trips[15...]))
    #expect(statements(on: "Trip").map { $0.prefix(13) } == [#"UPDATE "Trip""#])
    #expect(try store.record(trips[19])?["days"] == .integer(0))
  }

  private static let parcel = StoreEntity(
    name: "Parcel",
    properties: [
      StoreProperty(name: "stops", kind: .attribute(.int8), isOptional: false),
      StoreProperty(name: "weight", kind: .attribute(.int64), isOptional: false),
    ]
  )

  private func storeOfParcels() throws -> SQLiteStore {
    try .inMemory(StoreSchema(entities: [Self.parcel]), log: log)
  }

  /// The change that adds a number to a property of the parcels with at most some stops.
  private static func sum(
    _ property: String,
    _ type: AttributeType,
    _ number: Int64,
    stops: Int64 = 127
  ) -> BulkChange {
    let value = QueryExpression.arithmetic(
      .add,
      .property(.element(0), property),
      .constant(.integer(number)),
      type
    )
    let filter = QueryExpression.compare(
      .lessOrEqual,
      .property(.element(0), "stops"),
      .constant(.integer(stops))
    )
    let query = StoreQuery(entity: "Parcel", filter: filter)
    return .update(query, [StoreAssignment(property, value)])
  }

  @Test func `computes integers, and is unsupported if one overflows`() throws {
    let store = try storeOfParcels()
    let parcels = try store.insert([
      .new(Self.parcel, ["stops": .integer(100), "weight": .integer(.max)]),
      .new(Self.parcel, ["stops": .integer(-100), "weight": .integer(3)]),
    ])
    #expect(try !store.plan(.change(Self.sum("stops", .int8, 28))).isComplete)
    #expect(try !store.plan(.change(Self.sum("weight", .int64, 1))).isComplete)
    let changes = [Self.sum("stops", .int8, 27), Self.sum("weight", .int64, -5)]
    #expect(try changes.allSatisfy { try store.plan(.change($0)).isComplete })
    log.clear()
    _ = try store.apply(StoreChanges(bulkChanges: changes))
    #expect(statements(on: "Parcel").filter { $0.hasPrefix("UPDATE") }.count == 2)
    #expect(try store.record(parcels[0])?["stops"] == .integer(127))
    #expect(try store.record(parcels[0])?["weight"] == .integer(.max - 5))
    #expect(try store.record(parcels[1])?["weight"] == .integer(-2))
  }

  @Test func `reads the rows once to count and check them, and once to change them`() throws {
    let store = try storeOfParcels()
    let parcels = try store.insert(
      (0..<20).map { .new(Self.parcel, ["stops": .integer($0), "weight": .integer($0)]) }
    )
    let change = Self.sum("weight", .int64, 1, stops: 4)
    log.clear()
    #expect(try store.plan(.change(change)).rowCount == 5)
    #expect(try store.apply(StoreChanges(bulkChanges: [change])).updated == Array(parcels[..<5]))
    let texts = log.counts.texts.filter { $0.contains(#""Parcel""#) }
    #expect(texts.map { $0.prefix(6) } == ["SELECT", "UPDATE"])
  }

  @Test func `names a row whose new value overflows, and changes nothing`() throws {
    let store = try storeOfParcels()
    let parcels = try store.insert(
      [1, 9, 3, 8, 2].map { .new(Self.parcel, ["stops": .integer($0), "weight": .integer($0)]) }
    )
    let before = try store.fetch(StoreQuery(entity: "Parcel"))
    for (property, type, number) in [
      ("stops", AttributeType.int8, Int64(119)), ("weight", .int64, .max - 9),
    ] {
      let change = Self.sum(property, type, number)
      let error = #expect(throws: DataStoreError.self) {
        try store.apply(StoreChanges(bulkChanges: [Self.sum("weight", .int64, 1), change]))
      }
      #expect(error == .invalidValue)
      #expect(error?.property == property)
      let key = try #require(parcels[1].integerKey)
      #expect(error?.message.contains("row \(key) ") == true, "\(String(describing: error))")
      #expect(try store.fetch(StoreQuery(entity: "Parcel")) == before)
    }
  }

  @Test func `computes floating-point numbers, and is unsupported if SQLite's result may differ`()
    throws
  {
    let account = StoreEntity(
      name: "Account",
      properties: [
        StoreProperty(name: "sum", kind: .attribute(.double), isOptional: false),
        StoreProperty(name: "rate", kind: .attribute(.double), isOptional: false),
      ]
    )
    let store = try SQLiteStore.inMemory(StoreSchema(entities: [account]), log: log)
    let accounts = try store.insert([
      .new(account, ["sum": .double(0.1), "rate": .double(3)]),
      .new(account, ["sum": .double(5), "rate": .double(0)]),
    ])
    func change(_ operation: QueryExpression.Arithmetic, _ other: QueryExpression) -> BulkChange {
      let value = QueryExpression.arithmetic(
        operation,
        .property(.element(0), "sum"),
        other,
        .double
      )
      return .update(StoreQuery(entity: "Account"), [StoreAssignment("sum", value)])
    }
    let rate = QueryExpression.property(.element(0), "rate")
    // A product that is 0.0 may be -0.0, and a quotient by 0 is NULL in SQL.
    #expect(try !store.plan(.change(change(.multiply, rate))).isComplete)
    #expect(try !store.plan(.change(change(.divide, rate))).isComplete)
    #expect(try !store.plan(.change(change(.add, .constant(.double(-0.0))))).isComplete)
    #expect(try !store.plan(.change(change(.add, .constant(.double(.nan))))).isComplete)
    #expect(try !store.plan(.change(change(.remainder, .constant(.double(2))))).isComplete)
    let changes = [
      change(.add, .constant(.double(0.2))), change(.subtract, .constant(.double(5.2))),
      change(.divide, .constant(.double(3))),
    ]
    log.clear()
    for change in changes.prefix(2) {
      #expect(try store.plan(.change(change)).isComplete)
      _ = try store.apply(StoreChanges(bulkChanges: [change]))
    }
    #expect(statements(on: "Account").filter { $0.hasPrefix("UPDATE") }.count == 2)
    #expect(try store.record(accounts[0])?["sum"] == .double(0.1 + 0.2 - 5.2))
    #expect(try store.record(accounts[1])?["sum"] == .double(5 + 0.2 - 5.2))
    #expect(try !store.plan(.change(changes[2])).isComplete)
    // Only the sum of two infinite numbers can be NaN.
    let infinite = try store.insert([
      .new(account, ["sum": .double(.infinity), "rate": .double(-.infinity)])
    ])
    #expect(try !store.plan(.change(change(.add, rate))).isComplete)
    #expect(try store.plan(.change(changes[0])).isComplete)
    _ = try store.apply(StoreChanges(bulkChanges: [changes[0]]))
    #expect(try store.record(infinite[0])?["sum"] == .double(.infinity))
    try store.insert([.new(account, ["sum": .double(-0.0), "rate": .double(1)])])
    #expect(try !store.plan(.change(changes[0])).isComplete)
  }

  @Test func `increments the versions of changed rows`() throws {
    let before = try store.record(trips[0])
    let result = try store.apply(
      StoreChanges(bulkChanges: [
        .update(days(.less, 1), [StoreAssignment("days", .constant(.integer(7)))])
      ]
      )
    )
    #expect(before != nil)
    var stale = StoreChanges(
      updated: [StoreUpdate(identifier: trips[0], changes: [.init(2, .integer(9))])]
    )
    stale.expectedVersions = [trips[0]: result.version - 1]
    #expect(throws: DataStoreError.conflict) { try store.apply(stale) }
    stale.expectedVersions = [trips[0]: result.version]
    _ = try store.apply(stale)
  }

  @Test func `is refused if a row of a subentity would lose its required object`() throws {
    let owner = StoreEntity(name: "Owner", properties: [SampleSchema.attribute("name", .string)])
    let required = [
      StoreProperty(name: "owner", kind: .toOne(StoreRelationship(destination: "Owner")))
    ]
    let part = StoreEntity(name: "Part", properties: required)
    let screw = StoreEntity(name: "Screw", superentity: "Part", root: "Part", properties: required)
    let store = try SQLiteStore.inMemory(StoreSchema(entities: [owner, part, screw]))
    let owners = try store.insert([.new(owner)])
    let screws = try store.insert([.new(screw, ["owner": .identifier(owners[0])])])
    let error = #expect(throws: SwiftDataError.self) {
      try store.apply(StoreChanges(bulkChanges: [.delete(StoreQuery(entity: "Owner"))]))
    }
    #expect(error == .modelValidationFailure)
    #expect(error.map { "\($0)".contains("\(screws[0])") } == true, "\(String(describing: error))")
    #expect(try store.count(StoreQuery(entity: "Owner")) == 1)
  }

  @Test func `is refused if a related row denies it`() throws {
    let item = StoreEntity(name: "Item", properties: [SampleSchema.attribute("name", .string)])
    let holder = StoreEntity(
      name: "Holder",
      properties: [
        StoreProperty(
          name: "item",
          kind: .toOne(StoreRelationship(destination: "Item", deleteRule: "deny")),
          isOptional: true
        )
      ]
    )
    let store = try SQLiteStore.inMemory(StoreSchema(entities: [item, holder]))
    let items = try store.insert([.new(item)])
    try store.insert([.new(holder, ["item": .identifier(items[0])])])
    #expect(throws: DataStoreError.deletionDenied) {
      try store.apply(StoreChanges(bulkChanges: [.delete(StoreQuery(entity: "Holder"))]))
    }
    #expect(try store.count(StoreQuery(entity: "Holder")) == 1)
  }

  @Test(arguments: ["name", "start", "items", "next", "none"])
  func `is unsupported if it requires more than the change of a column`(property: String) throws {
    let assignment = StoreAssignment(property, .constant(.null))
    #expect(try !store.plan(.change(.update(days(.less, 5), [assignment]))).isComplete)
  }

  @Test func `compares strings in Swift if SQL compares them differently`() throws {
    try store.insert([
      .new(SampleSchema.tag, ["name": .string("e\u{301}")]),
      .new(SampleSchema.tag, ["name": .string("e")]),
    ])
    let query = StoreQuery(
      entity: "Tag",
      filter: .compare(.equal, .property(.element(0), "name"), .constant(.string("é")))
    )
    #expect(try store.apply(StoreChanges(bulkChanges: [.delete(query)])).deleted.count == 1)
    #expect(try store.fetch(StoreQuery(entity: "Tag")).map { $0["name"] } == [.string("e")])
  }
}
