import CSQLite
import Foundation
import SQLiteStore
import StoreProtocol
import Testing

@Suite("Unique numbers with NaN")
struct UniqueNumberTests {
  private let folder: TemporaryFolder
  private let path: String

  private static let former =
    "DROP INDEX \"unique Measure(value)\"; CREATE UNIQUE INDEX \"unique Measure(value)\" ON "
    + "\"Measure\"(\"value\"); ALTER TABLE \"_history\" DROP COLUMN save; "
    + "ALTER TABLE \"_history\" DROP COLUMN origin; DROP TABLE \"_readers\"; PRAGMA user_version = 2"

  init() throws {
    folder = try TemporaryFolder()
    path = folder.path("a.db")
  }

  private static func measure(
    unique: [[String]] = [["value"]],
    indices: [[String]] = []
  ) -> StoreEntity {
    StoreEntity(
      name: "Measure",
      properties: [SampleSchema.attribute("value", .double)],
      uniquenessConstraints: unique,
      indices: indices
    )
  }

  private static let schema = StoreSchema(entities: [measure()])
  private static let schemaBefore = StoreSchema(entities: [measure(unique: [])])

  private func insert(_ values: [Double], into store: SQLiteStore) throws -> Int {
    try store.insert(values.map { .new(Self.measure(), ["value": .double($0)]) })
    return try store.count(StoreQuery(entity: "Measure"))
  }

  /// Runs statements on the closed file as an earlier program would.
  private func tamper(_ sql: String) {
    var connection: OpaquePointer?
    sqlite3_open(path, &connection)
    #expect(sqlite3_exec(connection, sql, nil, nil, nil) == SQLITE_OK)
    sqlite3_close(connection)
  }

  private func makeFormer() throws {
    do { _ = try insert([.nan, 1], into: SQLiteStore.inFile(path, Self.schema)) }
    tamper(Self.former)
  }

  private func content() throws -> Data { try Data(contentsOf: URL(filePath: path)) }

  @Test func `NaN does not equal itself, and -0.0 equals 0`() throws {
    let store = try SQLiteStore.inFile(path, Self.schema)
    #expect(try insert([.nan, -.nan, .nan, -0.0, 0, 1, 1, .infinity, .infinity], into: store) == 6)
    #expect(throws: DataStoreError.self) {
      try store.withWritableConnection {
        try $0.execute("UPDATE Measure SET value = x'8000000000000000' WHERE value = 1")
      }
    }
    #expect(try store.verify() == [])
  }

  @Test func `a file of format 2 that is opened for reading is unchanged`() throws {
    try makeFormer()
    let before = try content()
    do {
      let store = try SQLiteStore.inFile(path, Self.schema, allowsSave: false)
      #expect(try store.count(StoreQuery(entity: "Measure")) == 2)
      #expect(try store.verify() == [])
    }
    #expect(try content() == before)
  }

  @Test func `a file of format 2 gets the new index when it is opened for writing`() throws {
    try makeFormer()
    let store = try SQLiteStore.inFile(path, Self.schema)
    #expect(try insert([.nan, .nan, 1], into: store) == 4)
    #expect(try store.verify() == [])
    #expect(try store.format() == SQLiteStore.currentFormat)
  }

  @Test func `a file of format 2 that is refused is unchanged`() throws {
    try makeFormer()
    tamper("PRAGMA journal_mode = DELETE; PRAGMA journal_mode = WAL")
    let before = try content()
    let other = StoreEntity(
      name: "Measure",
      properties: [SampleSchema.attribute("value", .uuid)]
    )
    #expect(throws: DataStoreError.self) {
      try SQLiteStore.inFile(path, StoreSchema(entities: [other]))
    }
    #expect(try content() == before)
  }

  @Test func `a file of format 2 gets the new index together with another schema`() throws {
    try makeFormer()
    let other = Self.measure(indices: [["value"]])
    let store = try SQLiteStore.inFile(path, StoreSchema(entities: [other]))
    #expect(try insert([.nan, .nan, 1], into: store) == 4)
    #expect(try store.format() == SQLiteStore.currentFormat)
  }

  @Test func `numbers with several NaN can become unique`() throws {
    do { _ = try insert([.nan, .nan, 2], into: SQLiteStore.inFile(path, Self.schemaBefore)) }
    let store = try SQLiteStore.inFile(path, Self.schema)
    #expect(try insert([.nan, 2], into: store) == 4)
    #expect(try store.verify() == [])
  }

  @Test func `the count of duplicates that prevent uniqueness ignores NaN`() throws {
    let values: [Double] = [.nan, .nan, .nan, 2, 2, 3]
    do { _ = try insert(values, into: SQLiteStore.inFile(path, Self.schemaBefore)) }
    let error = try #require(throws: DataStoreError.self) {
      try SQLiteStore.inFile(path, Self.schema)
    }
    #expect(error == .schemaMismatch)
    #expect(error.message.contains("1 "), "\(error)")
  }
}
