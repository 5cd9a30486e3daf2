import Foundation
import StoreFiles
import StoreProtocol
import Testing

@testable import JSONFileStore

/// Saves whose record may be in the journal, since its sync failed and nothing could be written
/// after that.
@Suite("A JSON store with a save in doubt")
struct JSONFileStoreDoubtTests {
  private let fixture: StoreFixture
  private let access = FaultyFileAccess()
  private let store: JSONFileStore
  private let changes: StoreChanges

  init() throws {
    fixture = try StoreFixture()
    store = try fixture.open(access: access)
    try store.insert(newRow(["number": .integer(1)]))
    access.reset()
    try store.insert(newRow(["number": .integer(2)]))
    let sync = try #require(access.calls.lastIndex(of: .sync))
    changes = StoreChanges(inserted: [newRow(["number": .integer(3)])])
    access.reset(.from(call: sync, code: EIO))
  }

  private func numbers(_ store: JSONFileStore) throws -> [StoreValue] {
    try store.all().compactMap { $0["number"] }
  }

  private func save() throws {
    #expect(throws: DataStoreError.outcomeUnknown) { try store.apply(changes) }
  }

  @Test func `says so until it can write, to readers and writers alike`() throws {
    try save()
    #expect(throws: DataStoreError.outcomeUnknown) { try store.all() }
    #expect(throws: DataStoreError.outcomeUnknown) { try store.apply(changes) }
    #expect(throws: DataStoreError.outcomeUnknown) { try store.compact() }
    // Another save knows what became of itself.
    #expect(throws: DataStoreError.notSaved) { try store.insert(newRow([:])) }
    #expect(throws: DataStoreError.outcomeUnknown) {
      try store.outcome(ofSave: changes.saveIdentifier)
    }
  }

  @Test func `takes it back when it can write, and goes on`() throws {
    try save()
    access.reset()
    #expect(try numbers(store) == [.integer(1), .integer(2)])
    #expect(try numbers(fixture.copy().open()) == [.integer(1), .integer(2)])
    guard case .notSaved = try store.outcome(ofSave: changes.saveIdentifier) else {
      Issue.record("the save was taken back")
      return
    }
    _ = try store.apply(changes)
    #expect(try numbers(store) == [.integer(1), .integer(2), .integer(3)])
    #expect(try numbers(fixture.copy().open()) == [.integer(1), .integer(2), .integer(3)])
  }

  @Test func `is asked for the save and decides by that`() throws {
    try save()
    access.reset()
    guard case .notSaved = try store.outcome(ofSave: changes.saveIdentifier) else {
      Issue.record("the save was taken back")
      return
    }
    #expect(throws: DataStoreError.outcomeUnknown) { try store.outcome(ofSave: UUID()) }
  }

  @Test func `keeps others out meanwhile`() throws {
    try save()
    let folder = try Folder(path: fixture.folder.path)
    #expect(throws: StoreLock.Failure.self) { try StoreLock(of: "items.json", in: folder) }
  }

  @Test func `that is closed leaves the answer to the next opening`() throws {
    try save()
    #expect(throws: DataStoreError.outcomeUnknown) { try store.close() }
    #expect(throws: DataStoreError.outcomeUnknown) {
      try store.outcome(ofSave: changes.saveIdentifier)
    }
    access.reset()
    #expect([2, 3].contains(try fixture.open().all().count))
  }

  @Test(arguments: 0..<12)
  func `is certain whichever call of the way back fails`(call: Int) throws {
    try save()
    access.reset(.once(call: call, code: EIO))
    let answer = try? store.all()
    access.reset()
    #expect(try answer == nil || answer == store.all())
    #expect(try numbers(store) == [.integer(1), .integer(2)])
    #expect(try numbers(fixture.copy().open()) == [.integer(1), .integer(2)])
    _ = try store.apply(changes)
    #expect(try numbers(fixture.copy().open()).count == 3)
  }

  @Test func `never comes back where its document may be either of two`() throws {
    try save()
    access.reset()
    // The way back fails at the sync of the folder: the new document is there, or is not.
    let calls = try { () -> [FileError.Operation] in
      let other = FaultyFileAccess()
      let fixture = try StoreFixture()
      let store = try fixture.open(access: other)
      try store.insert(newRow([:]))
      other.reset()
      try store.compact()
      return other.calls
    }()
    let rename = try #require(calls.firstIndex(of: .rename))
    for fault in [
      FaultyFileAccess.Fault.late(call: rename, code: EIO), .once(call: rename + 1, code: EIO),
    ] {
      access.reset(fault)
      _ = try? store.all()
    }
    access.reset()
    #expect(try numbers(store) == [.integer(1), .integer(2)])
    #expect(try fixture.names == ["items.json"])
  }
}
