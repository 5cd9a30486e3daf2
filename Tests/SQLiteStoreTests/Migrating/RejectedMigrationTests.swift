import Foundation
import SQLiteStore
import StoreProtocol
import Testing

@Suite("A refused migration of a SQLite store")
struct RejectedMigrationTests {
  private let folder: TemporaryFolder
  private let path: String

  private static let item = StoreEntity(
    name: "Item",
    properties: [SampleSchema.attribute("title", .string)]
  )

  init() throws {
    folder = try TemporaryFolder()
    path = folder.path("a.db")
    let store = try SQLiteStore.inFile(path, StoreSchema(entities: [Self.item]))
    try store.insert([.new(Self.item, ["title": .string("kept")])])
  }

  private func begin() throws -> any StoreMigration {
    let configuration = SQLiteStoreConfiguration(schema: nil, url: URL(filePath: path))
    return try #require(try SQLiteStore.beginMigration(of: configuration))
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

  private func expectNothingLost() throws {
    let store = try SQLiteStore.inFile(path, StoreSchema(entities: [Self.item]))
    #expect(try store.fetch(StoreQuery(entity: "Item")).map { $0["title"] } == [.string("kept")])
    #expect(try store.verify() == [])
  }

  @Test func `does not begin in a folder in which any user may replace files`() throws {
    #expect(chmod(folder.url.path, 0o777) == 0)
    try expect(.storeNotTrusted, "chmod o-w") { _ = try begin() }
    #expect(chmod(folder.url.path, 0o700) == 0)
    try expectNothingLost()
  }

  @Test func `does not begin with an invalid configuration`() throws {
    var configuration = SQLiteStoreConfiguration(schema: nil, url: URL(filePath: path))
    configuration.busyTimeout = -1
    #expect(throws: DataStoreError.invalidConfiguration) {
      try SQLiteStore.beginMigration(of: configuration)
    }
    try expectNothingLost()
  }

  @Test func `cannot replace the store without a copy`() throws {
    do {
      let migration = try begin()
      try expect(.notSaved, "nothing was saved") { try migration.replaceByCopy() }
      migration.end()
      // The database is closed, even if the program keeps the migration.
      #expect(!FileManager.default.fileExists(atPath: path + "-wal"))
      withExtendedLifetime(migration) {}
    }
    try expectNothingLost()
  }

  @Test func `cannot replace the store after its copy was deleted`() throws {
    do {
      let migration = try begin()
      let copy = try #require(try migration.makeCopy() as? SQLiteStoreConfiguration)
      try FileManager.default.removeItem(at: copy.url)
      try expect(.io, "the copy's path cannot be resolved") { try migration.replaceByCopy() }
      migration.end()
    }
    try expectNothingLost()
  }

  @Test func `rejects a schema that refers to a missing entity`() throws {
    let host = StoreProperty(
      name: "host",
      kind: .toOne(StoreRelationship(destination: "Nobody")),
      isOptional: true
    )
    let wrong = StoreEntity(name: "Item", properties: Self.item.properties + [host])
    do {
      let migration = try begin()
      try expect(.invalidConfiguration, "lacks the entity Nobody") {
        _ = try migration.violations(of: StructureChange(to: StoreSchema(entities: [wrong])))
      }
      migration.end()
    }
    try expectNothingLost()
  }

  @Test func `creates no index over rows that cannot be read`() throws {
    do { try SQLiteStore.inFile(path, StoreSchema(entities: [Self.item])).compact() }
    let whole = try Data(contentsOf: URL(filePath: path))
    var damaged = whole
    let text = try #require(whole.range(of: Data("kept".utf8))).lowerBound
    // The serial type of the string in the row's header: a length of 4 bytes becomes 57.
    let kind = try #require(whole[..<text].suffix(4).lastIndex(of: 21))
    damaged[kind] = 127
    try damaged.write(to: URL(filePath: path))
    let indexed = StoreEntity(
      name: "Item",
      properties: Self.item.properties,
      indices: [["title"]]
    )
    try expect(.storeDamaged, "damaged") {
      _ = try SQLiteStore.inFile(path, StoreSchema(entities: [indexed]))
    }
    #expect(try Data(contentsOf: URL(filePath: path)) == damaged)
    try whole.write(to: URL(filePath: path))
    let store = try SQLiteStore.inFile(path, StoreSchema(entities: [indexed]))
    #expect(try store.count(StoreQuery(entity: "Item")) == 1)
    #expect(try store.verify() == [])
  }
}
