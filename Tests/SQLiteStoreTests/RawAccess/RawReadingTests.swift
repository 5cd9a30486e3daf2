import Foundation
import SQLiteStore
import StoreProtocol
import Testing

@Suite("A connection for reading")
struct RawReadingTests {
  private let folder: TemporaryFolder
  private let store: SQLiteStore

  init() throws {
    folder = try TemporaryFolder()
    store = try .inFile(folder.path("a.db"))
    try VerificationTests.fill(store)
  }

  @Test func `returns values by column name and by position`() throws {
    try store.withConnection { connection in
      let rows = try connection.rows(
        "SELECT _key, name, days, NULL AS none, x'01ff' AS bytes, 1.5 FROM Trip WHERE name = ?;\n",
        "a"
      )
      let row = try #require(rows.first)
      #expect(rows.count == 1)
      #expect(row.columns == ["_key", "name", "days", "none", "bytes", "1.5"])
      #expect(row["_key"]?.integerValue == 2)
      #expect(row["name"]?.textValue == "a")
      #expect(row["none"] == .null)
      #expect(row["bytes"]?.blobValue == Data([1, 255]))
      #expect(row[5]?.realValue == 1.5)
      #expect(row["absent"] == nil)
      #expect(row[6] == nil)
      #expect(row[-1] == nil)
    }
  }

  @Test func `binds values of every type`() throws {
    let values: [SQLValue] = [7, 2.5, "it's", true, .null, .blob(Data([0])), .text("a\u{0}b")]
    let row = try store.withConnection {
      var found: [SQLiteRow] = []
      try $0.forEachRow("SELECT ?, ?, ?, ?, ?, ?, ?", values: values) { found.append($0) }
      return found[0]
    }
    #expect(row.values == values)
  }

  @Test func `reads one snapshot despite a save in between`() throws {
    let counts = try store.withConnection { connection in
      let before = try connection.rows("SELECT count(*) FROM Item")
      try store.insert([.new(SampleSchema.item)])
      return try [before, connection.rows("SELECT count(*) FROM Item")].map { $0[0][0] }
    }
    #expect(counts == [1, 1])
    #expect(try store.count(StoreQuery(entity: "Item")) == 2)
  }

  @Test func `is closed after the body`() throws {
    var kept: SQLiteConnection?
    try store.withConnection { kept = $0 }
    #expect(throws: DataStoreError.storeClosed) { try kept?.rows("SELECT 1") }
    try store.withWritableConnection { kept = $0 }
    #expect(throws: DataStoreError.storeClosed) { try kept?.execute("DELETE FROM Item") }
    #expect(throws: DataStoreError.storeClosed) { try kept?.newKey() }
  }

  @Test(
    arguments: [false, true],
    [
      "DELETE FROM Item", "INSERT INTO Item(_key) VALUES (99)", "UPDATE Item SET title = 'x'",
      "UPDATE OpenSwiftData SET value = 1",
    ]
  )
  func `refuses to write`(isInMemory: Bool, sql: String) throws {
    let store = isInMemory ? try SQLiteStore.inMemory() : store
    #expect(throws: DataStoreError.storeReadOnly) {
      try store.withConnection { _ = try $0.execute(sql) }
    }
    #expect(throws: DataStoreError.storeReadOnly) { try store.withConnection { try $0.newKey() } }
  }

  @Test(arguments: [
    "SELEKT 1", "SELECT nothing FROM Trip", "SELECT 1; SELECT 2", "", "-- nothing",
    "SELECT \"Trip\"", "VACUUM",
  ])
  func `throws a typed error for an invalid statement`(sql: String) throws {
    #expect(throws: DataStoreError.self) { try store.withConnection { try $0.rows(sql) } }
    #expect(try store.withConnection { try $0.rows("SELECT 1").count } == 1)
  }

  @Test func `requires one value for each parameter`() throws {
    #expect(throws: DataStoreError.invalidValue) {
      try store.withConnection { try $0.rows("SELECT ?, ?", 1) }
    }
    #expect(throws: DataStoreError.invalidValue) {
      try store.withConnection { try $0.rows("SELECT ?", 1, 2) }
    }
  }

  @Test func `can read the tables' definitions`() throws {
    let counts = try store.withConnection { connection in
      try [
        "PRAGMA table_info(Item)", "SELECT name FROM pragma_table_info('Item')",
        "PRAGMA user_version", "SELECT name FROM sqlite_master WHERE name = 'Trip'",
      ].map { try connection.rows($0).count }
    }
    #expect(counts == [4, 4, 1, 1])
  }
}

@Suite("A raw SQL statement")
struct StatementRulesTests {
  static let refused = [
    "BEGIN", "COMMIT", "ROLLBACK", "END", "SAVEPOINT a", "RELEASE a", "ROLLBACK TO attempt",
    "ATTACH ':memory:' AS other", "DETACH main", "PRAGMA journal_mode = DELETE",
    "PRAGMA synchronous = OFF", "PRAGMA query_only = OFF", "PRAGMA foreign_keys = OFF",
    "PRAGMA writable_schema = ON", "PRAGMA user_version = 9", "PRAGMA wal_checkpoint",
    "PRAGMA optimize", "CREATE TABLE t(a)", "CREATE TEMP TABLE t(a)", "DROP TABLE Item",
    "ALTER TABLE Item ADD COLUMN a", "CREATE INDEX i ON Item(title)", "REINDEX", "ANALYZE",
    "CREATE VIEW v AS SELECT 1", "CREATE TRIGGER t AFTER INSERT ON Item BEGIN SELECT 1; END",
    "CREATE VIRTUAL TABLE t USING fts5(a)", "SELECT osd_file(title, 'string', '', '') FROM Item",
    "SELECT osd_holds(1)",
  ]

  static let refusedWrites = [
    "UPDATE OpenSwiftData SET value = 1", "DELETE FROM OpenSwiftData",
    "INSERT INTO \"words Note(title)\"(rowid) VALUES (1)", "DELETE FROM \"words Note(title)_data\"",
    "UPDATE Note SET _key = 7", "UPDATE Note SET rowid = 1", "UPDATE Note SET OID = 1",
    "UPDATE Note SET _version = 7",
    "UPDATE Note SET _entity = 'LongNote'", "DELETE FROM sqlite_master",
  ]

  @Test(arguments: refused)
  func `is refused if it would end the transaction or change the schema or settings`(
    sql: String
  ) throws {
    let folder = try TemporaryFolder()
    let store = try SQLiteStore.inFile(folder.path("a.db"))
    try store.insert([.new(SampleSchema.item)])
    #expect(throws: DataStoreError.unsupportedFeature) {
      try store.withConnection { _ = try $0.rows(sql) }
    }
    #expect(throws: DataStoreError.unsupportedFeature) {
      try store.withWritableConnection { _ = try $0.execute(sql) }
    }
    #expect(try store.verify() == [])
    #expect(try store.count(StoreQuery(entity: "Item")) == 1)
  }

  @Test(arguments: refusedWrites)
  func `is refused if it writes the store's own tables or columns`(sql: String) throws {
    let store = try SQLiteStore.inMemory(SearchSample.schema)
    try store.insert(["river", "sea"].map { .new(SearchSample.note, ["title": .string($0)]) })
    try store.withWritableConnection { _ = try $0.execute("DELETE FROM Note WHERE _key = 1") }
    #expect(throws: DataStoreError.self) {
      try store.withWritableConnection { _ = try $0.execute(sql) }
    }
    #expect(try store.verify() == [])
    #expect(try store.count(StoreQuery(entity: "Note")) == 1)
  }

  @Test func `does not undo the other statements if it is refused`() throws {
    let store = try SQLiteStore.inMemory()
    try store.insert([.new(SampleSchema.item)])
    try store.withWritableConnection { connection in
      try connection.execute("UPDATE Item SET title = ?", "kept")
      #expect(throws: DataStoreError.unsupportedFeature) { try connection.execute("COMMIT") }
      // It has its own error.
      let error = #expect(throws: DataStoreError.self) { try connection.execute("SELEKT") }
      #expect(error != .unsupportedFeature)
    }
    #expect(try store.fetch(StoreQuery(entity: "Item")).map { $0["title"] } == [.string("kept")])
  }
}
