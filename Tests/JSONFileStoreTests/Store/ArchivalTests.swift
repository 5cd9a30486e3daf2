import Foundation
import JSONFileStore
import StoreProtocol
import StoreTestSupport
import Testing

/// Tests of stores without a journal: one file that each save replaces.
@Suite struct ArchivalTests {
  private let fixture: StoreFixture

  init() throws { fixture = try StoreFixture() }

  private func open(
    _ fixture: StoreFixture,
    durability: StoreCapabilities.Durability = .full,
    access: FaultyFileAccess? = nil
  ) throws -> JSONFileStore {
    var configuration = fixture.configuration(durability: durability, access: access)
    configuration.usesJournal = false
    return try JSONFileStore(configuration, migrationPlan: nil)
  }

  @Test func `the document contains each save, without other files`() throws {
    let store = try open(fixture)
    let rows = try store.insert(newRow(["name": .string("a")]), newRow(["name": .string("b")]))
    #expect(try fixture.names == ["items.json"])
    #expect(try fixture.copy().open().content() == store.content())
    try store.update(rows[0], ["number": .integer(4)])
    try store.delete(rows[1])
    #expect(try fixture.names == ["items.json"])
    #expect(try fixture.copy().open().content() == store.content())
    #expect(try store.verify() == [])
    try store.erase()
    #expect(try fixture.copy().open().content() == [])
    #expect(try store.insert(newRow([:])).first?.integerKey == 3)
  }

  @Test func `a reader that began before a save keeps its state`() throws {
    let store = try open(fixture)
    try store.insert(newRow(["name": .string("a")]))
    var names: [StoreValue?] = []
    try store.read(StoreQuery(entity: "Item")) { _ in
      try store.insert(newRow(["name": .string("later")]))
      names = try store.all().map { $0["name"] }
    }
    #expect(names == [.string("a"), .string("later")])
  }

  @Test func `an existing journal is checkpointed first, except by a reader`() throws {
    let store = try fixture.open()
    try store.insert(newRow(["name": .string("a")]))
    let crashed = try fixture.copy()
    #expect(try crashed.names.contains("items.json.journal"))
    let archive = try open(crashed)
    #expect(try crashed.names == ["items.json"])
    #expect(try archive.content() == store.content())
    // A reader writes nothing.
    let other = try fixture.copy()
    var configuration = other.configuration(allowsSave: false)
    configuration.usesJournal = false
    let reader = try JSONFileStore(configuration, migrationPlan: nil)
    #expect(try reader.content() == store.content())
    #expect(try other.names.contains("items.json.journal"))
  }

  @Test func `a refused save changes nothing`() throws {
    let store = try open(fixture)
    try store.insert(newRow(["name": .string("a")]), newRow(["name": .string("b")]))
    let before = try Data(contentsOf: fixture.url)
    let rows = try store.all()
    #expect(throws: DataStoreError.uniqueConflict) {
      try store.update(rows[0].persistentIdentifier, ["name": .string("b")])
    }
    var deep = StoreValue.integer(1)
    for _ in 0..<70 { deep = .array([deep]) }
    #expect(throws: DataStoreError.invalidValue) { try store.insert(newRow(["extra": deep])) }
    #expect(try Data(contentsOf: fixture.url) == before)
    #expect(try store.all() == rows)
  }

  @Test func `a save of unknown outcome throws until its outcome is certain`() throws {
    let access = FaultyFileAccess()
    let store = try open(fixture, access: access)
    try store.insert(newRow(["number": .integer(1)]))
    access.reset()
    try store.insert(newRow(["number": .integer(2)]))
    let sync = try #require(access.calls.lastIndex(of: .sync))
    let changes = StoreChanges(inserted: [newRow(["number": .integer(3)])])
    // Neither the folder nor anything after it can be synced: the new name may be lost or not.
    access.reset(.from(call: sync, code: EIO))
    #expect(throws: DataStoreError.outcomeUnknown) { try store.apply(changes) }
    #expect(throws: DataStoreError.outcomeUnknown) { try store.all() }
    #expect(throws: DataStoreError.notSaved) { try store.insert(newRow([:])) }
    access.reset()
    #expect(try store.all().compactMap { $0["number"] } == [.integer(1), .integer(2)])
    guard case .notSaved = try store.outcome(ofSave: changes.saveIdentifier) else {
      Issue.record("the save was not rolled back")
      return
    }
    _ = try store.apply(changes)
    #expect(try fixture.copy().open().all().count == 3)
    #expect(try fixture.names == ["items.json"])
  }

  @Test(arguments: [(StoreCapabilities.Durability.full, 2), (.relaxed, 2), (.none, 0)])
  func `a save has the syncs of its durability level`(
    durability: StoreCapabilities.Durability,
    syncs: Int
  ) throws {
    let access = FaultyFileAccess()
    let store = try open(fixture, durability: durability, access: access)
    access.reset()
    try store.insert(newRow([:]))
    #expect(access.calls.filter { $0 == .sync || $0 == .syncFolder }.count == syncs)
  }

  @Test func `existing files are synced before they are read`() throws {
    do { _ = try open(fixture) }
    let counting = FaultyFileAccess()
    do { _ = try open(fixture, access: counting) }
    let syncs = counting.calls.indices.filter {
      counting.calls[$0] == .sync || counting.calls[$0] == .syncFolder
    }
    #expect(syncs.count == 2)
    for call in syncs {
      let access = FaultyFileAccess(.once(call: call, code: EIO))
      #expect(throws: DataStoreError.io) { try open(fixture, access: access) }
    }
    #expect(try open(fixture).content() == [])
  }

  @Test func `a document that another program wrote is not overwritten`() throws {
    let store = try open(fixture)
    try store.insert(newRow([:]))
    try Data("mine".utf8).write(to: fixture.url)
    #expect(throws: DataStoreError.storeReplaced) { try store.insert(newRow([:])) }
    #expect(try fixture.text(fixture.url) == "mine")
  }

  @Test func `opening with and without a journal is refused in one process`() throws {
    let store = try open(fixture)
    #expect(throws: DataStoreError.invalidConfiguration) { try fixture.open() }
    #expect(try fixture.open(allowsSave: false).content() == store.content())
  }
}
