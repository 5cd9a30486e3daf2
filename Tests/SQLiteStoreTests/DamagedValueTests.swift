import CSQLite
import Foundation
import StoreHelpers
import StoreProtocol
import StructuredText
import Testing

@testable import SQLiteStore

@Suite("A file with invalid values")
struct DamagedValueTests {
  private let folder: TemporaryFolder
  private let path: String

  init() throws {
    folder = try TemporaryFolder()
    path = folder.path("a.db")
  }

  private static let number = QueryExpression.property(.element(0), "int64")

  @Test(
    arguments: [
      ([number], .key(0)), ([], .aggregate(.minimum, number, .int64)),
      ([], .aggregate(.maximum, number, .int64)),
    ] as [([QueryExpression], StoreSelection.Column)]
  )
  func `causes an error for groups and extremes of them`(
    groups: [QueryExpression],
    column: StoreSelection.Column
  ) throws {
    let store = try SQLiteStore.inFile(path)
    try store.insert([.new(SampleSchema.values, ["int64": .integer(7)])])
    let selection = StoreSelection(
      StoreQuery(entity: "Values"),
      groups: groups,
      columns: [column]
    )
    #expect(try store.rows(of: selection) == [[.integer(7)]])
    try folder.run("UPDATE \"Values\" SET int64 = 'x'")
    let error = try #require(throws: DataStoreError.self) { try store.rows(of: selection) }
    #expect(error == .storeDamaged)
    #expect(error.message.contains("an invalid value of a property of the query"), "\(error)")
    try folder.run("UPDATE \"Values\" SET int64 = 7")
    #expect(try store.rows(of: selection) == [[.integer(7)]])
  }

  @Test(arguments: ["saves", "nextKey"])
  func `is refused if a counter is negative`(key: String) throws {
    do { _ = try SQLiteStore.inFile(path) }
    try folder.run("UPDATE OpenSwiftData SET value = -1 WHERE key = '\(key)'")
    let error = try #require(throws: DataStoreError.self) { try SQLiteStore.inFile(path) }
    #expect(error == .storeDamaged)
  }

  // A lenient decoder makes strings of them that are as long in bytes; that of the last begins with
  // the same bytes.
  @Test(arguments: ["F09F98", "61F09F9862", "E9AC5A00", "61EF"])
  func `causes an error for a string that is not UTF-8`(bytes: String) throws {
    let store = try SQLiteStore.inFile(path)
    try store.insert([.new(SampleSchema.values, ["string": .string("a")])])
    try folder.run("UPDATE \"Values\" SET string = CAST(X'\(bytes)' AS TEXT)")
    let error = try #require(throws: DataStoreError.self) {
      try store.fetch(StoreQuery(entity: "Values"))
    }
    #expect(error == .storeDamaged)
  }

  @Test func `causes an error for a Boolean that is neither 0 nor 1`() throws {
    let store = try SQLiteStore.inFile(path)
    try store.insert([.new(SampleSchema.values, ["bool": .bool(true)])])
    let index = try #require(SampleSchema.values.indexByName["bool"])
    for number in [-1, 2] {
      try folder.run("UPDATE \"Values\" SET bool = \(number)")
      #expect(throws: DataStoreError.storeDamaged) {
        try store.read(StoreQuery(entity: "Values")) { _ = try $0.bool(at: index) }
      }
    }
  }

  @Test func `accepts no further element in a list at the greatest position`() throws {
    let store = try SQLiteStore.inFile(path)
    let trips = try store.insert([.new(SampleSchema.trip), .new(SampleSchema.trip)])
    try store.insert([
      .new(SampleSchema.tag, ["name": .string("t"), "trips": .identifiers([trips[0]])])
    ])
    try folder.run("UPDATE \"Tag.trips\" SET position = \(StoreNumbers.greatest)")
    let error = try #require(throws: DataStoreError.self) {
      try store.insert([
        .new(SampleSchema.tag, ["name": .string("t"), "trips": .identifiers([trips[1]])])
      ])
    }
    #expect(error == .storeDamaged)
    #expect(error.message.contains("cannot take another element"), "\(error)")
    #expect(try folder.text("SELECT group_concat(member) FROM \"Tag.trips\"") == "1")
  }

  @Test func `keeps a row whose value is too deep for the history`() throws {
    var value = StoreValue.integer(1)
    for _ in 0..<JSONText.maximumDepth { value = .array([value]) }
    let row: PersistentIdentifier
    do {
      let store = try SQLiteStore.inFile(path)
      row = try #require(
        try store.insert([.new(SampleSchema.values, ["codable": value])]).first
      )
    }
    var configuration = SQLiteStoreConfiguration(
      schema: Schema(storeSchema: SampleSchema.store),
      url: URL(filePath: path)
    )
    configuration.history = HistoryOptions(.values)
    let store = try SQLiteStore(configuration, migrationPlan: nil)
    let error = try #require(throws: DataStoreError.self) {
      try store.apply(
        StoreChanges(updated: [.change(row, SampleSchema.values, ["codable": .null])])
      )
    }
    #expect(error == .invalidValue)
    #expect(error.message.contains("a value cannot be kept in the history"), "\(error)")
    #expect(error.entity == "Values")
    let isKept = try store.record(row)?["codable"] == value
    #expect(isKept)
  }

  @Test func `with a full-text index is refused by a library without FTS5`() throws {
    do {
      let store = try SQLiteStore.inFile(path, SearchSample.schema)
      try store.insert([.new(SearchSample.note, ["title": .string("sea")])])
    }
    let connection = try Connection(ConnectionOptions(location: .file(path)))
    #expect(sqlite3_drop_modules(connection.handle, nil) == SQLITE_OK)
    let map = try SchemaMap(SearchSample.schema)
    let indexing = SearchIndexing(connection: connection)
    for body in [{ _ = try indexing.isDue(map) }, { try indexing.update(to: map, from: map) }] {
      let error = try #require(throws: DataStoreError.self) { try body() }
      #expect(error == .unsupportedFeature)
      #expect(error.message.contains("FTS5"), "\(error)")
    }
    let store = try SQLiteStore.inFile(path, SearchSample.schema)
    #expect(try store.indexed(TextSearch("sea"), "Note", "title") == [1])
  }

  @Test func `refuses new rows if each merge causes another one`() throws {
    let node = StoreEntity(
      name: "Node",
      properties: [
        SampleSchema.attribute("name", .string),
        StoreProperty(
          name: "next",
          kind: .toOne(StoreRelationship(destination: "Node")),
          isOptional: true
        ),
      ],
      uniquenessConstraints: [["next"]]
    )
    let schema = StoreSchema(entities: [node])
    let store = try SQLiteStore.inFile(path, schema)
    try store.insert([.new(node, ["name": .string("kept")])])
    // A key that no row has yet: that of the second new row, as long as the first is new as well.
    try SQLiteStore.harm(path, ["UPDATE Node SET next = 3"])
    let second = DefaultSnapshot.new(node, ["name": .string("second")])
    let first = DefaultSnapshot.new(
      node,
      ["name": .string("first"), "next": .identifier(second.persistentIdentifier)]
    )
    let error = try #require(throws: DataStoreError.self) {
      try store.apply(StoreChanges(inserted: [first, second]))
    }
    #expect(error == .uniqueConflict)
    #expect(error.message.contains("each merge causes another"), "\(error)")
    #expect(try store.fetch(StoreQuery(entity: "Node")).map { $0["name"] } == [.string("kept")])
    #expect(try store.insert([second]).map(\.integerKey) == [2])
  }
}
