import Foundation
import StoreFiles
import JSONFileStore
import StoreProtocol
import StoreTestSupport
import Testing

/// Programs that open a store with a lower durability than another one used.
@Suite("A JSON store opened with different levels of durability")
struct MixedDurabilityTests {
  private let fixture: StoreFixture

  init() throws { fixture = try StoreFixture() }

  private func open(
    _ durability: StoreCapabilities.Durability,
    journal: Bool = true,
    _ access: FaultyFileAccess = FaultyFileAccess()
  ) throws -> JSONFileStore {
    var configuration = fixture.configuration(durability: durability, access: access)
    configuration.usesJournal = journal
    return try JSONFileStore(configuration, migrationPlan: nil)
  }

  /// Expects that each file is synced before it is renamed, and its name before the next file is
  /// removed.
  private func expectSyncedReplacements(_ access: FaultyFileAccess) {
    let calls = access.calls
    #expect(calls.contains(.rename))
    for (index, call) in calls.enumerated() where call == .rename {
      let before = calls[..<index].suffix(while: { $0 != .write })
      #expect(before.contains { $0 == .sync || $0 == .syncFolder }, "\(calls)")
      let after = calls[(index + 1)...].prefix { $0 != .unlink && $0 != .rename }
      #expect(after.contains { $0 == .sync || $0 == .syncFolder }, "\(calls)")
    }
  }

  @Test(arguments: [true, false], [true, false])
  func `syncs every replacement of durable data, even with durability none`(
    journal: Bool,
    isKilled: Bool
  ) throws {
    var full: JSONFileStore? = try open(.full)
    try full?.insert(newRow(["name": .string("durable")]))
    var found = fixture
    if isKilled { found = try fixture.copy() } else { try full?.close() }
    full = nil
    let access = FaultyFileAccess()
    var configuration = found.configuration(durability: .none, access: access)
    configuration.usesJournal = journal
    let store = try JSONFileStore(configuration, migrationPlan: nil)
    try store.insert(newRow(["name": .string("careless")]))
    try store.compact()
    try store.insert(newRow(["name": .string("again")]))
    try store.close()
    expectSyncedReplacements(access)
    #expect(try found.open().all().count == 3)
  }

  @Test func `does not sync a store that was written only with durability none`() throws {
    let access = FaultyFileAccess()
    let store = try open(.none, access)
    try store.insert(newRow(["name": .string("careless")]))
    try store.close()
    #expect(access.calls.contains(.rename))
    #expect(!access.calls.contains { $0 == .sync })
  }

  @Test(arguments: [StoreCapabilities.Durability.full, .relaxed])
  func `syncs an unsynced document before it acknowledges a durable save`(
    durability: StoreCapabilities.Durability
  ) throws {
    let careless = try open(.none)
    try careless.insert(newRow(["name": .string("careless")]))
    try careless.close()
    let access = FaultyFileAccess()
    let store = try open(durability, access)
    access.reset()
    try store.insert(newRow(["name": .string("durable")]))
    let beginning = access.calls.prefix { $0 != .create }
    #expect(beginning.contains { $0 == .sync }, "\(access.calls)")
    // Only once.
    try store.compact()
    access.reset()
    try store.insert(newRow(["name": .string("more")]))
    #expect(!access.calls.prefix { $0 != .create }.contains { $0 == .sync })
    // A sync that failed may succeed the next time without effect, so the document is rewritten.
    try store.close()
    let faulty = FaultyFileAccess()
    let again = try open(durability, faulty)
    // The call after those that check the document and the lock, and open the document.
    faulty.reset(.once(call: 4, code: EIO))
    #expect(throws: DataStoreError.notSaved) { try again.insert(newRow([:])) }
    #expect(faulty.calls.contains(.rename), "\(faulty.calls)")
    try again.insert(newRow(["name": .string("last")]))
    #expect(try again.all().count == 4)
  }

  @Test func `keeps a replaced value file until the next checkpoint`() throws {
    let full = try fixture.openFiles()
    let row = try full.insert(DataFileSample.record("a", DataFileSample.data(200, 1)))[0]
    try full.close()
    let store = try fixture.openFiles(durability: .none)
    try store.setPhoto(row, DataFileSample.data(200, 2))
    #expect(fixture.dataFiles.count == 2)
    try store.compact()
    #expect(fixture.dataFiles.count == 1)
    #expect(try store.photos() == [DataFileSample.data(200, 2)])
  }
}

extension Collection {
  /// The longest suffix whose elements all satisfy a condition.
  fileprivate func suffix(while condition: (Element) -> Bool) -> [Element] {
    Array(reversed().prefix(while: condition).reversed())
  }
}
