import Foundation
import SQLiteStore
import StoreHelpers
import StoreProtocol
import Testing

@Suite("A SQLite store whose metadata was changed by hand")
struct HostileSchemaTests {
  private let folder: TemporaryFolder
  private var path: String { folder.path("a.db") }

  init() throws {
    folder = try TemporaryFolder()
    try SQLiteStore.inFile(folder.path("a.db"))
      .insert([.new(SampleSchema.item, ["title": .string("kept")])])
  }

  /// Inconsistent schemas; more of them are refused in `SchemaCheckTests`.
  @Test(arguments: [
    (
      #"{"name":"Item","superentity":"Item","properties":[]}"#,
      "inherits from itself"
    ),
    (
      #"{"name":"Item","superentity":"B","root":"Item","properties":[]},"#
        + #"{"name":"B","superentity":"Item","root":"Item","properties":[]}"#,
      "inherits from itself"
    ),
    (
      #"{"name":"Item","properties":[{"name":"a","originalName":"a","isOptional":true,"#
        + #""isUnique":false,"options":[],"kind":{"toMany":{"_0":{"destination":"Item","#
        + #""inverse":"b","inverseIsToOne":true,"deleteRule":"nullify"}}}},"#
        + #"{"name":"b","originalName":"b","isOptional":true,"isUnique":false,"options":[],"#
        + #""kind":{"attribute":{"_0":"string"}}}]}"#,
      "the inverse Item.b is not a relationship"
    ),
    (#"{"name":"Item"}"#, "the store's schema cannot be read"),
  ])
  func `is refused for a cyclic or inconsistent schema`(
    entities: String,
    message: String
  ) throws {
    try folder.run(
      "UPDATE OpenSwiftData SET value = '{\"entities\":[\(entities)],\"version\":\"1.0.0\"}'"
        + " WHERE key = 'schema'"
    )
    for allowsSave in [true, false] {
      for schema in [nil, SampleSchema.store] {
        let error = try #require(throws: DataStoreError.self) {
          try SQLiteStore.inFile(path, schema, allowsSave: allowsSave)
        }
        #expect(error == .storeDamaged)
        #expect(error.message.contains(message), "\(error)")
      }
    }
  }

  @Test(arguments: [
    "DELETE FROM OpenSwiftData WHERE key = 'schema'",
    "UPDATE OpenSwiftData SET value = 'x' WHERE key = 'schema'",
  ])
  func `has an unknown schema if that is missing or unreadable`(statement: String) throws {
    try folder.run(statement)
    do {
      _ = try SQLiteStore.inFile(path)
      Issue.record("opened")
    } catch SwiftDataError.unknownDataStoreSchema {
      #expect(throws: DataStoreError.storeDamaged) { try SQLiteStore.inFile(path) }
    }
  }

  @Test(arguments: [
    ("CREATE VIEW \"all\" AS SELECT * FROM Item", "a view all", "DROP VIEW \"all\""),
    ("CREATE INDEX fast ON Item (title)", "an index fast", "DROP INDEX \"fast\""),
  ])
  func `is refused with the path and the remedy if another program added a view or an index`(
    statement: String,
    entry: String,
    remedy: String
  ) throws {
    try folder.run(statement)
    for allowsSave in [true, false] {
      let error = #expect(throws: DataStoreError.self) {
        try SQLiteStore.inFile(path, allowsSave: allowsSave)
      }
      #expect(error == .storeNotTrusted)
      #expect(error?.file?.hasSuffix("/a.db") == true)
      #expect(error?.message.contains("\(entry) that the store did not create") == true)
      #expect(error?.message.hasSuffix(remedy) == true, "\(error?.message ?? "")")
    }
    try folder.run(remedy)
    #expect(try SQLiteStore.inFile(path).count(StoreQuery(entity: "Item")) == 1)
  }

  @Test(arguments: [Int64.max, StoreNumbers.greatest + 1, -1, .min])
  func `is damaged if its history begins at an invalid save number`(cut: Int64) throws {
    try folder.run("UPDATE OpenSwiftData SET value = \(cut) WHERE key = 'historyCut'")
    let store = try SQLiteStore.inFile(path)
    #expect(throws: DataStoreError.storeDamaged) { try store.historyBounds() }
    #expect(try store.verify().map(\.message) == ["the store has no valid start of its history"])
    #expect(try store.fetch(StoreQuery(entity: "Item")).count == 1)
  }

  @Test(arguments: [Int64.max, StoreNumbers.greatest + 1, 0, .min])
  func `is damaged if a transaction has an invalid save number`(number: Int64) throws {
    try folder.run("UPDATE _history SET number = \(number)")
    let store = try SQLiteStore.inFile(path)
    #expect(throws: DataStoreError.storeDamaged) { try store.transactions(StoreHistoryQuery()) }
    #expect(try !store.verify().isEmpty)
    // Saves continue.
    try store.insert([.new(SampleSchema.item)])
  }
}
