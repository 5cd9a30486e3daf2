import Foundation
import StoreProtocol
import Testing

@testable import SQLiteStore

@Suite("A migration of a SQLite store that cannot be")
struct RefusedMigrationTests {
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
    _ code: DataStoreError.Code,
    _ message: String,
    _ body: () throws -> Void
  ) throws {
    let error = try #require(throws: DataStoreError.self) { try body() }
    #expect(error.code == code)
    #expect(error.message.contains(message), "\(error)")
  }

  private func expectNothingLost() throws {
    let store = try SQLiteStore.inFile(path, StoreSchema(entities: [Self.item]))
    #expect(try store.fetch(StoreQuery(entity: "Item")).map { $0["title"] } == [.string("kept")])
    #expect(try store.verify() == [])
  }

  @Test func `begins in no folder where everybody may replace files`() throws {
    #expect(chmod(folder.url.path, 0o777) == 0)
    try expect(.storeNotTrusted, "chmod o-w") { _ = try begin() }
    #expect(chmod(folder.url.path, 0o700) == 0)
    try expectNothingLost()
  }

  @Test func `has no copy to put in the store's place`() throws {
    do {
      let migration = try begin()
      try expect(.notSaved, "nothing was saved") { try migration.replaceByCopy() }
      migration.end()
    }
    try expectNothingLost()
  }

  @Test func `has lost its copy`() throws {
    do {
      let migration = try begin()
      let copy = try #require(try migration.makeCopy() as? SQLiteStoreConfiguration)
      try FileManager.default.removeItem(at: copy.url)
      try expect(.io, "the copy's path cannot be resolved") { try migration.replaceByCopy() }
      migration.end()
    }
    try expectNothingLost()
  }

  @Test func `tries no schema that the store cannot have`() throws {
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

  @Test func `makes no index of rows that cannot be read`() throws {
    do { try SQLiteStore.inFile(path, StoreSchema(entities: [Self.item])).compact() }
    let whole = try Data(contentsOf: URL(filePath: path))
    var damaged = whole
    let text = try #require(whole.range(of: Data("kept".utf8))).lowerBound
    // The kind of the text in the head of its row: four bytes, made fifty-seven.
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
