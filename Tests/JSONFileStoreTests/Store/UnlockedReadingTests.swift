import Foundation
import StoreFiles
import JSONFileStore
import StoreProtocol
import StoreTestSupport
import Testing

@Suite("A JSON store opened without its lock")
struct UnlockedReadingTests {
  private func unlocked(
    _ fixture: StoreFixture,
    access: any FileAccess = SystemFileAccess()
  ) throws -> JSONFileStore {
    var configuration = JSONFileStoreConfiguration(url: fixture.url, allowsSave: false)
    configuration.readsWithoutLock = true
    configuration.access = access
    return try JSONFileStore(configuration, migrationPlan: nil)
  }

  private func count(_ store: JSONFileStore) throws -> Int {
    try store.count(StoreQuery(entity: "Item"))
  }

  @Test func `reads the state of the last save, and keeps it`() throws {
    let fixture = try StoreFixture()
    let store = try JSONFileStore(fixture.configuration(), migrationPlan: nil)
    try store.insert(newRow(["number": .integer(1)]))
    let reader = try unlocked(fixture)
    #expect(try count(reader) == 1)
    try store.insert(newRow(["number": .integer(2)]))
    try store.compact()
    try store.insert(newRow(["number": .integer(3)]))
    #expect(try count(reader) == 1)
    #expect(try count(unlocked(fixture)) == 3)
    #expect(throws: DataStoreError.storeReadOnly) {
      try reader.insert(newRow(["number": .integer(4)]))
    }
  }

  @Test func `takes no lock`() throws {
    let fixture = try StoreFixture()
    do {
      let store = try JSONFileStore(fixture.configuration(), migrationPlan: nil)
      try store.insert(newRow(["number": .integer(1)]))
    }
    let reader = try unlocked(fixture)
    var configuration = fixture.configuration()
    configuration.busyTimeout = 0
    let store = try JSONFileStore(configuration, migrationPlan: nil)
    try store.insert(newRow(["number": .integer(2)]))
    #expect(try count(reader) == 1)
  }

  @Test func `reads both files again if they change during the read`() throws {
    let fixture = try StoreFixture()
    let store = try JSONFileStore(fixture.configuration(), migrationPlan: nil)
    try store.insert(newRow(["number": .integer(1)]))
    // The document is read before the checkpoint, and the journal is removed before it is read.
    let access = OddFileAccess(
      .isLate("items.json.journal") { #expect(throws: Never.self) { try store.compact() } }
    )
    #expect(try count(unlocked(fixture, access: access)) == 1)
  }

  @Test func `reports a damaged journal`() throws {
    let fixture = try StoreFixture()
    let store = try JSONFileStore(fixture.configuration(), migrationPlan: nil)
    for number in 0..<3 { try store.insert(newRow(["number": .integer(Int64(number))])) }
    var bytes = try Data(contentsOf: fixture.journal)
    let index = try #require(bytes.range(of: Data("insert".utf8))?.lowerBound)
    bytes[index] ^= 1
    let copy = try StoreFixture()
    try Data(contentsOf: fixture.url).write(to: copy.url)
    try bytes.write(to: copy.journal)
    #expect(throws: DataStoreError.storeDamaged) { try unlocked(copy) }
  }

  @Test func `must be read-only, and must exist`() throws {
    let fixture = try StoreFixture()
    var configuration = fixture.configuration()
    configuration.readsWithoutLock = true
    #expect(throws: DataStoreError.invalidConfiguration) {
      try JSONFileStore(configuration, migrationPlan: nil)
    }
    #expect(throws: DataStoreError.storeNotFound) { try unlocked(fixture) }
  }
}
