import Foundation
import StoreFiles
import JSONFileStore
import StoreProtocol
import StoreTestSupport
import Testing

/// Tests of saves whose record may be in the journal, because its sync failed and nothing could be
/// written after it.
@Suite("A JSON store with a save of unknown outcome")
struct JSONFileStoreIndeterminateSaveTests {
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

  @Test func `throws for reads and saves until it can write`() throws {
    try save()
    #expect(throws: DataStoreError.outcomeUnknown) { try store.all() }
    #expect(throws: DataStoreError.outcomeUnknown) { try store.apply(changes) }
    #expect(throws: DataStoreError.outcomeUnknown) { try store.compact() }
    // The outcome of another save is known.
    #expect(throws: DataStoreError.notSaved) { try store.insert(newRow([:])) }
    #expect(throws: DataStoreError.outcomeUnknown) {
      try store.outcome(ofSave: changes.saveIdentifier)
    }
  }

  @Test func `rolls back the save when it can write, and accepts it again`() throws {
    try save()
    access.reset()
    #expect(try numbers(store) == [.integer(1), .integer(2)])
    #expect(try numbers(fixture.copy().open()) == [.integer(1), .integer(2)])
    guard case .notSaved = try store.outcome(ofSave: changes.saveIdentifier) else {
      Issue.record("the save was not rolled back")
      return
    }
    _ = try store.apply(changes)
    #expect(try numbers(store) == [.integer(1), .integer(2), .integer(3)])
    #expect(try numbers(fixture.copy().open()) == [.integer(1), .integer(2), .integer(3)])
  }

  @Test func `rolls back the save when its outcome is requested`() throws {
    try save()
    access.reset()
    guard case .notSaved = try store.outcome(ofSave: changes.saveIdentifier) else {
      Issue.record("the save was not rolled back")
      return
    }
    #expect(throws: DataStoreError.outcomeUnknown) { try store.outcome(ofSave: UUID()) }
  }

  @Test func `stays locked for other stores`() throws {
    try save()
    let folder = try Folder(path: fixture.folder.path)
    #expect(throws: StoreLock.Failure.self) { try StoreLock(of: "items.json", in: folder) }
  }

  @Test func `leaves the decision to the next open if it is closed`() throws {
    try save()
    #expect(throws: DataStoreError.outcomeUnknown) { try store.close() }
    // It is closed nevertheless.
    try store.close()
    #expect(throws: DataStoreError.outcomeUnknown) {
      try store.outcome(ofSave: changes.saveIdentifier)
    }
    access.reset()
    #expect([2, 3].contains(try fixture.open().all().count))
  }

  @Test(arguments: 0..<12)
  func `rolls back the save if any call of the recovery fails once`(call: Int) throws {
    try save()
    access.reset(.once(call: call, code: EIO))
    let result = try? store.all()
    access.reset()
    #expect(try result == nil || result == store.all())
    #expect(try numbers(store) == [.integer(1), .integer(2)])
    #expect(try numbers(fixture.copy().open()) == [.integer(1), .integer(2)])
    _ = try store.apply(changes)
    #expect(try numbers(fixture.copy().open()).count == 3)
  }

  @Test func `rolls back the save if replacing the document fails`() throws {
    try save()
    access.reset()
    // The recovery fails after the rename: the new document may be durable or not.
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
