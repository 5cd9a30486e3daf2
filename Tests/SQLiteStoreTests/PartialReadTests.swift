import Foundation
import SQLiteStore
import StoreProtocol
import Testing

@Suite("A read of some properties")
struct PartialReadTests {
  private let log = StatementLog()

  private func filled() throws -> (SQLiteStore, [PersistentIdentifier]) {
    let store = try SQLiteStore.inMemory(log: log)
    let identifiers = try store.insert([
      .new(SampleSchema.values, ["string": .string("a"), "int8": .integer(1)]),
      .new(SampleSchema.values, ["string": .string("b"), "int8": .integer(2)]),
    ])
    log.clear()
    return (store, identifiers)
  }

  private func values(
    _ query: StoreQuery,
    of store: SQLiteStore
  ) throws -> [(string: StoreValue, isNumberThere: Bool)] {
    let entity = try #require(store.schema.storeSchema.entity(named: "Values"))
    let string = try #require(entity.indexByName["string"])
    let number = try #require(entity.indexByName["int8"])
    var found: [(string: StoreValue, isNumberThere: Bool)] = []
    try store.read(query) { reader in
      #expect(!reader.isDeferred(at: string))
      found.append((try reader.value(at: string), !reader.isDeferred(at: number)))
    }
    return found
  }

  private var selections: [String] {
    log.counts.texts.filter { $0.hasPrefix("SELECT") && $0.contains("\"Values\"") }
  }

  @Test func `selects only their columns`() throws {
    let (store, identifiers) = try filled()
    let sorted = [QuerySort(.property(.element(0), "int8"), isReversed: true)]
    let query = StoreQuery(entity: "Values", sort: sorted, properties: ["string", "nothing"])
    let found = try values(query, of: store)
    #expect(found.map(\.string) == [.string("b"), .string("a")])
    #expect(found.map(\.isNumberThere) == [false, false])
    let head = try #require(selections.first?.split(separator: " FROM ").first)
    #expect(head.contains("string"))
    #expect(!head.contains("int8"))
    #expect(try store.explain(.query(query)).statements.first?.hasPrefix(head) == true)

    log.clear()
    var rows = StoreQuery.rows(identifiers, of: "Values")
    rows.properties = ["string"]
    #expect(try values(rows, of: store).map(\.isNumberThere) == [false, false])
    #expect(selections.allSatisfy { !$0.contains("int8") })
    rows.properties = nil
    #expect(try values(rows, of: store).map(\.isNumberThere) == [true, true])
  }

  @Test func `always reads the keys of to-one relationships`() throws {
    let store = try SQLiteStore.inMemory()
    let trip = try store.insert([.new(SampleSchema.trip, ["name": .string("t")])])
    try store.insert([.new(SampleSchema.item, ["trip": .identifier(trip[0])])])
    let entity = try #require(store.schema.storeSchema.entity(named: "Item"))
    let index = try #require(entity.indexByName["trip"])
    var keys: [PersistentIdentifier.Key?] = []
    try store.read(StoreQuery(entity: "Item", properties: [])) { reader in
      #expect(!reader.isDeferred(at: index))
      keys.append(try reader.reference(at: index))
    }
    #expect(keys == [trip[0].key])
  }

  @Test func `returns complete records from a fetch`() throws {
    let (store, _) = try filled()
    let query = StoreQuery(entity: "Values", properties: ["string"])
    #expect(try store.fetch(query).map { $0["int8"] } == [.integer(1), .integer(2)])
  }
}
