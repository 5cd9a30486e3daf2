import CSQLite
import Foundation
import StoreProtocol
import StoreTestSupport
import Testing

@testable import SQLiteStore

@Suite("A SQLite store")
struct InvalidLocationTests {
  private let folder: TemporaryFolder
  private let path: String

  init() throws {
    folder = try TemporaryFolder()
    path = folder.path("a.db")
  }

  private func expect(
    _ code: DataStoreError,
    _ message: String,
    _ body: () throws -> Void
  ) throws {
    let error = try #require(throws: DataStoreError.self) { try body() }
    #expect(error == code)
    #expect(error.message.contains(message), "\(error)")
  }

  @Test(arguments: [-1, 86_401, .nan, .infinity])
  func `rejects an invalid busy timeout`(seconds: Double) throws {
    try expect(.invalidConfiguration, "from 0 to 86400 seconds") {
      _ = try SQLiteStore.inFile(path, busyTimeout: seconds)
    }
    #expect(try folder.names() == [])
  }

  @Test func `rejects a network URL for itself and for a copy`() throws {
    let url = try #require(URL(string: "https://example.org/a.db"))
    let configuration = SQLiteStoreConfiguration(schema: nil, url: url)
    try expect(.invalidConfiguration, "needs a file URL, not https") {
      _ = try SQLiteStore(configuration, migrationPlan: nil)
    }
    let store = try SQLiteStore.inMemory()
    try expect(.invalidConfiguration, "a copy of a SQLite store needs a file URL, not https") {
      try store.backup(to: url)
    }
    _ = try SQLiteStore.inFile(path)
    let migration = try #require(
      try SQLiteStore.beginMigration(
        of: SQLiteStoreConfiguration(schema: nil, url: URL(filePath: path))
      )
    )
    try expect(.invalidConfiguration, "a copy of a SQLite store needs a file URL, not https") {
      try migration.backup(to: url)
    }
  }

  @Test func `names the room that it needs if the disk is too full to open it`() throws {
    // SQLITE_IOERR_SHMSIZE is a macro that Swift does not import.
    let cause = SQLiteError(
      extendedCode: SQLITE_IOERR | (19 << 8),
      message: "disk I/O error",
      systemCode: ENOSPC
    )
    try expect(.io, "the disk is full; a SQLite store needs at least 64 KiB beside its file") {
      try StoreErrors.translating(.opening, file: path) { throw cause }
    }
  }

  @Test func `rejects a folder whose path can no longer be resolved`() throws {
    let gone = folder.path("gone")
    let error = try #require(throws: DataStoreError.self) {
      try DatabaseFile(
        path: gone + "/a.db",
        makesFolder: false,
        patience: 0,
        access: OddFileAccess(.opens(folder.url.path))
      )
    }
    #expect(error == .io)
    #expect(error.message.contains("the folder's path cannot be resolved"))
    #expect(error.file == gone)
    #expect(try folder.names() == [])
  }

  @Test func `rejects an empty file for reading only`() throws {
    _ = try folder.emptyFile("a.db")
    try expect(.io, "the store is empty and cannot be initialized") {
      _ = try SQLiteStore.inFile(path, allowsSave: false)
    }
    #expect(try Data(contentsOf: URL(filePath: path)).isEmpty)
  }

  @Test func `is not migrated if it is read-only`() throws {
    let entity = StoreEntity(name: "Item", properties: [SampleSchema.attribute("title", .string)])
    let more = StoreEntity(
      name: "Item",
      properties: entity.properties + [SampleSchema.attribute("size", .int64)]
    )
    do {
      let store = try SQLiteStore.inFile(path, StoreSchema(entities: [entity]))
      try store.insert([.new(entity, ["title": .string("kept")])])
    }
    let before = try Data(contentsOf: URL(filePath: path))
    try expect(.schemaMismatch, "cannot be migrated read-only") {
      _ = try SQLiteStore.inFile(path, StoreSchema(entities: [more]), allowsSave: false)
    }
    #expect(try Data(contentsOf: URL(filePath: path)) == before)
    let store = try SQLiteStore.inFile(path, StoreSchema(entities: [more]))
    #expect(try store.fetch(StoreQuery(entity: "Item")).map { $0["title"] } == [.string("kept")])
  }

  @Test(arguments: ["items", "tags", "colour"])
  func `rejects uniqueness of relationships and missing properties`(property: String) throws {
    let trip = StoreEntity(
      name: "Trip",
      properties: SampleSchema.trip.properties,
      uniquenessConstraints: [["name", property]]
    )
    let schema = StoreSchema(entities: [trip, SampleSchema.item, SampleSchema.tag])
    let error = try #require(throws: DataStoreError.self) { try SQLiteStore.inFile(path, schema) }
    #expect(error == .invalidConfiguration)
    let reason =
      property == "colour" ? "a property that it lacks" : "values of this property cannot be unique"
    #expect(error.message.contains(reason), "\(error)")
    #expect(error.entity == "Trip" && error.property == property)
  }

  @Test func `rejects a schema that refers to missing entities`() throws {
    let child = StoreEntity(name: "Child", superentity: "Parent", root: "Parent", properties: [])
    let lone = try #require(throws: DataStoreError.self) {
      try SQLiteStore.inFile(path, StoreSchema(entities: [child]))
    }
    #expect(lone == .invalidConfiguration)
    #expect(lone.message.contains("lacks the entity Parent that it inherits from"), "\(lone)")
    #expect(lone.entity == "Child")

    let guest = StoreEntity(
      name: "Guest",
      properties: [
        StoreProperty(name: "host", kind: .toOne(StoreRelationship(destination: "Nobody")))
      ]
    )
    let lost = try #require(throws: DataStoreError.self) {
      try SQLiteStore.inFile(path, StoreSchema(entities: [guest]))
    }
    #expect(lost == .invalidConfiguration)
    #expect(lost.message.contains("lacks the entity Nobody that the relationship refers to"))
    #expect(lost.entity == "Guest" && lost.property == "host")
  }

  @Test func `rejects a file with a table name that is not Unicode`() throws {
    do { try SQLiteStore.inFile(path).insert([.new(SampleSchema.item)]) }
    let sql = Array("CREATE TABLE \"".utf8) + [0xFF] + Array("\"(a)\0".utf8)
    var connection: OpaquePointer?
    sqlite3_open(path, &connection)
    let code = sql.withUnsafeBufferPointer { bytes in
      bytes.withMemoryRebound(to: CChar.self) {
        sqlite3_exec(connection, $0.baseAddress, nil, nil, nil)
      }
    }
    #expect(code == SQLITE_OK)
    sqlite3_close(connection)
    try expect(.storeDamaged, "a name in the file is not Unicode") {
      _ = try SQLiteStore.inFile(path)
    }
    #expect(try folder.text("SELECT count(*) FROM Item") == "1")
  }

  @Test func `copies no pages of its own connection, and reads no file without a log`() throws {
    let connection = try Connection(ConnectionOptions(location: .memory))
    try connection.execute("CREATE TABLE kept(a)")
    #expect(throws: SQLiteError.self) { try connection.takePages(of: connection) }
    #expect(try connection.integer("SELECT count(*) FROM sqlite_master") == 1)

    let file = try folder.emptyFile("b.db")
    let error = try #require(throws: SQLiteError.self) {
      try Connection(ConnectionOptions(location: .file(file), role: .reader))
    }
    #expect(error.kind == .cannotOpen)
    #expect(error.message.contains("the journal mode is delete, so another program has emptied"))
  }

  @Test func `in memory knows no outcome of a save and no value files`() throws {
    let store = try SQLiteStore.inMemory()
    try expect(.outcomeUnknown, "the commit failed") { _ = try store.outcome(ofSave: UUID()) }
    let connection = try Connection(ConnectionOptions(location: .memory))
    let name = String(repeating: "a", count: 32)
    let reference = "{\"$file\":\"\(name)\",\"bytes\":1,\"crc32c\":\"00000000\"}"
    let sql = "SELECT osd_file('\(reference)', 'data', 'Picture', 'photo')"
    let error = try #require(throws: DataStoreError.self) {
      try connection.withStatement(sql) { _ = try $0.step() }
    }
    #expect(error == .storeDamaged && error.file == name)
    #expect(error.entity == "Picture" && error.property == "photo")
    #expect(try connection.text("SELECT osd_file('x', 'data', 'Picture', 'photo')") == "x")
  }

  @Test func `binds no function to a missing parameter`() throws {
    let connection = try Connection(ConnectionOptions(location: .memory))
    let function = try RowFunction(
      .constant(.bool(true)),
      isTest: true,
      leaves: [],
      schema: SampleSchema.store
    )
    let error = try connection.withStatement("SELECT ?") { statement in
      try #require(throws: SQLiteError.self) { try statement.bind(function, at: 9) }
    }
    #expect(error.message.isEmpty == false)
  }
}
