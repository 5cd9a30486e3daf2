import CSQLite
import SQLiteStore
import StoreProtocol
import StoreTestSupport
import Testing

@Suite("Versions of rows")
struct VersionTests {
  private let path: String
  private let folder: TemporaryFolder

  init() throws {
    folder = try TemporaryFolder()
    path = folder.path("a.db")
  }

  /// Runs statements on the closed file as another program would.
  private func tamper(_ sql: String) {
    var connection: OpaquePointer?
    sqlite3_open(path, &connection)
    _ = csqlite_db_config(connection, SQLITE_DBCONFIG_DEFENSIVE, 0)
    #expect(sqlite3_exec(connection, sql, nil, nil, nil) == SQLITE_OK)
    sqlite3_close(connection)
  }

  private func versions(_ store: SQLiteStore) throws -> [Int64] {
    try store.fetch(StoreQuery(entity: "Item")).map(\.version)
  }

  private func makeFileWithoutVersions() throws {
    do {
      let store = try SQLiteStore.inFile(path)
      try store.insert([.new(SampleSchema.item)])
      try store.insert([.new(SampleSchema.item)])
      #expect(try versions(store) == [1, 2])
    }
    for table in ["Item", "Trip", "Tag", "Values"] {
      tamper("ALTER TABLE \"\(table)\" DROP COLUMN _version")
    }
  }

  @Test func `a file without versions gets them when it is opened for writing`() throws {
    try makeFileWithoutVersions()
    let item: PersistentIdentifier
    do {
      let store = try SQLiteStore.inFile(path)
      #expect(try versions(store) == [1, 1])
      item = try #require(try store.identifiers(StoreQuery(entity: "Item")).first)
      let update = StoreUpdate.change(item, SampleSchema.item, ["title": .string("x")])
      let changes = StoreChanges(updated: [update], expectedVersions: [item: 1])
      #expect(try store.apply(changes).version == 3)
    }
    #expect(try versions(SQLiteStore.inFile(path)) == [3, 1])
  }

  @Test func `a file without versions can be opened for reading only`() throws {
    try makeFileWithoutVersions()
    let store = try SQLiteStore.inFile(path, allowsSave: false)
    #expect(try versions(store) == [1, 1])
  }

  @Test func `rows that other programs insert have version 1`() throws {
    do { _ = try SQLiteStore.inFile(path) }
    tamper("INSERT INTO Item(_key, title) VALUES (1, 'x')")
    tamper("UPDATE OpenSwiftData SET value = 2 WHERE key = 'nextKey'")
    #expect(try versions(SQLiteStore.inFile(path)) == [1])
  }

  @Test func `a property can have the name of the version column`() throws {
    let entity = StoreEntity(
      name: "Draft",
      properties: [SampleSchema.attribute("_version", .int64)]
    )
    let store = try SQLiteStore.inFile(path, StoreSchema(entities: [entity]))
    try store.insert([.new(entity, ["_version": .integer(7)])])
    let row = try #require(try store.fetch(StoreQuery(entity: "Draft")).first)
    #expect(row["_version"] == .integer(7))
    #expect(row.version == 1)
  }

  @Test func `a save of another store on the file causes a conflict`() throws {
    let first = try SQLiteStore.inFile(path)
    let item = try first.insert([.new(SampleSchema.item)])[0]
    let second = try SQLiteStore.inFile(path)
    let update = StoreUpdate.change(item, SampleSchema.item, ["title": .string("x")])
    _ = try second.apply(StoreChanges(updated: [update], expectedVersions: [item: 1]))
    #expect(throws: DataStoreError.conflict) {
      try first.apply(StoreChanges(updated: [update], expectedVersions: [item: 1]))
    }
  }
}
