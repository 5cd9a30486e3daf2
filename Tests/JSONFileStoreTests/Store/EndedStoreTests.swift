import Foundation
import StoreFiles
import StoreProtocol
import StoreTestSupport
import Testing

@testable import JSONFileStore

@Suite("A JSON store that is closed, read-only or being migrated")
struct EndedStoreTests {
  private let fixture: StoreFixture

  init() throws {
    fixture = try StoreFixture()
    let store = try fixture.open()
    try store.insert(newRow(["name": .string("kept")]))
    try store.close()
  }

  private func expectNothingLost() throws {
    let store = try fixture.open()
    #expect(try store.all().map { $0["name"] } == [.string("kept")])
    #expect(try store.transactions(StoreHistoryQuery()).count == 1)
  }

  private func expect(
    _ code: DataStoreError,
    _ message: String,
    _ body: () throws -> Void
  ) throws {
    let error = try #require(throws: DataStoreError.self) { try body() }
    #expect(error == code)
    #expect(error.message.contains(message), "\(error)")
    #expect(error.file == fixture.url.path)
  }

  @Test func `refuses to delete history if it is read-only`() throws {
    do {
      let reading = try fixture.open(allowsSave: false)
      try expect(.storeReadOnly, "read-only") { try reading.deleteTransactions(nil) }
      try expect(.storeReadOnly, "read-only") { try reading.core.compact() }
      try expect(.storeReadOnly, "read-only") {
        try reading.core.replace { ($0, StoreFixture.storeSchema) }
      }
    }
    try expectNothingLost()
  }

  @Test func `refuses to delete history for a reader of a writer's process`() throws {
    let writing = try fixture.open()
    let reading = try fixture.open(allowsSave: false)
    #expect(reading.core === writing.core)
    try expect(.storeReadOnly, "read-only") { try reading.deleteTransactions(nil) }
    #expect(try writing.transactions(StoreHistoryQuery()).count == 1)
  }

  @Test func `is read through the store that replaced it, by a read that began before`() throws {
    let reading = try fixture.open(allowsSave: false)
    let core = reading.core
    let writing = try fixture.open()
    try writing.insert(newRow(["name": .string("new")]))
    let view = try ReadView(core)
    #expect(try view.count(StoreQuery(entity: "Item")) == 2)
    try writing.close()
    #expect(throws: DataStoreError.storeClosed) { try core.currentState() }
  }

  @Test func `is not migrated after it is closed`() throws {
    do {
      let store = try fixture.open()
      let migration = try #require(
        try JSONFileStore.beginMigration(of: fixture.configuration())
      )
      try store.close()
      let change = StructureChange(to: StoreFixture.storeSchema)
      try expect(.storeClosed, "the store was closed") {
        _ = try migration.changeStructure(through: [change], progress: { _, _ in })
      }
      migration.end()
    }
    try expectNothingLost()
  }

  @Test func `is not migrated after the migration has ended`() throws {
    do {
      let migration = try #require(
        try JSONFileStore.beginMigration(of: fixture.configuration())
      )
      try expect(.storeClosed, "the store was closed") { try migration.replaceByCopy() }
      migration.end()
      let change = StructureChange(to: StoreFixture.storeSchema)
      let copy = fixture.folder.appending(path: "copy.json")
      try expect(.storeClosed, "the store was closed") { _ = try migration.makeCopy() }
      try expect(.storeClosed, "the store was closed") { try migration.backup(to: copy) }
      try expect(.storeClosed, "the store was closed") { _ = try migration.violations(of: change) }
      #expect(!FileManager.default.fileExists(atPath: copy.path))
    }
    try expectNothingLost()
  }

  @Test func `is not migrated while a save's outcome is unknown`() throws {
    do {
      let access = FaultyFileAccess()
      let store = try fixture.open(access: access)
      access.reset()
      try store.insert(newRow([:]))
      try store.delete(try #require(try store.all().last).persistentIdentifier)
      let row = try store.all()[0].persistentIdentifier
      access.reset()
      try store.update(row, ["number": .integer(1)])
      let sync = try #require(access.calls.lastIndex(of: .sync))
      access.reset(.from(call: sync, code: EIO))
      #expect(throws: DataStoreError.outcomeUnknown) { try store.insert(newRow([:])) }
      try expect(.notSaved, "nothing was saved") {
        try store.core.replace { ($0, StoreFixture.storeSchema) }
      }
      access.reset()
      #expect(try store.all().count == 1)
      try store.close()
    }
    let store = try fixture.open()
    #expect(try store.all().map { $0["name"] } == [.string("kept")])
  }
}
