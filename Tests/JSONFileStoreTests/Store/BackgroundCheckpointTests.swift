import Foundation
import StoreFiles
import StoreProtocol
import StoreTestSupport
import Testing

@testable import JSONFileStore

/// Tests of checkpoints on a background thread, whose steps run here one by one.
@Suite struct BackgroundCheckpointTests {
  private let fixture: StoreFixture

  init() throws { fixture = try StoreFixture() }

  private func begin(_ store: JSONFileStore) throws -> BackgroundCheckpoint {
    try #require(store.core.inner.withLock { store.core.beginCheckpoint(&$0) })
  }

  private func fill(_ store: JSONFileStore) throws {
    for number in Int64(0)..<5 { try store.insert(newRow(["number": .integer(number)])) }
  }

  @Test func `a document written in the background replaces the old one`() throws {
    let store = try fixture.open()
    try fill(store)
    let checkpoint = try begin(store)
    store.core.finish(checkpoint, checkpoint.write())
    #expect(try fixture.names == ["items.json"])
    #expect(try fixture.copy().open().content() == store.content())
    try store.insert(newRow(["number": .integer(9)]))
    #expect(try fixture.copy().open().content() == store.content())
    #expect(try store.verify() == [])
  }

  @Test(arguments: [true, false])
  func `a save during a checkpoint is kept, and the new document is discarded`(
    isWritten: Bool
  ) throws {
    let store = try fixture.open()
    try fill(store)
    let checkpoint = try begin(store)
    let early = isWritten ? checkpoint.write() : nil
    try store.insert(newRow(["number": .integer(9)]))
    store.core.finish(checkpoint, early ?? checkpoint.write())
    #expect(try fixture.names == ["items.json", "items.json.journal"])
    #expect(try fixture.copy().open().content() == store.content())
    // The next checkpoint includes the save.
    let again = try begin(store)
    store.core.finish(again, again.write())
    #expect(try fixture.names == ["items.json"])
    #expect(try fixture.copy().open().all().count == 6)
  }

  @Test func `a checkpoint does not undo a compaction, an erasure or a close`() throws {
    let works: [(JSONFileStore) throws -> Void] = [
      { try $0.compact() }, { try $0.erase() }, { try $0.close() },
      {
        try $0.compact()
        for _ in 0..<5 { try $0.insert(newRow([:])) }
      },
    ]
    for work in works {
      let fixture = try StoreFixture()
      let store = try fixture.open()
      try fill(store)
      let checkpoint = try begin(store)
      let document = checkpoint.write()
      try work(store)
      let expected = try fixture.copy().open().content()
      store.core.finish(checkpoint, document)
      #expect(try fixture.copy().open().content() == expected)
      #expect(try fixture.names.filter { $0.contains("tmp") } == [])
    }
  }

  @Test func `a checkpoint does not overwrite another program's document`() throws {
    let store = try fixture.open()
    try fill(store)
    let checkpoint = try begin(store)
    let document = checkpoint.write()
    try Data("mine".utf8).write(to: fixture.url)
    store.core.finish(checkpoint, document)
    #expect(try fixture.text(fixture.url) == "mine")
    #expect(throws: DataStoreError.storeReplaced) { try store.insert(newRow([:])) }
  }

  @Test(arguments: JSONFileStoreFaultTests.Kind.allCases)
  func `a failure of any file operation loses no save`(kind: JSONFileStoreFaultTests.Kind) throws {
    let access = FaultyFileAccess()
    var calls = 1
    var call = 0
    while call < calls {
      let fixture = try StoreFixture()
      let store = try fixture.open(access: access)
      try fill(store)
      let expected = try store.content()
      let checkpoint = try begin(store)
      access.reset(kind.fault(at: call))
      store.core.finish(checkpoint, checkpoint.write())
      calls = max(calls, access.calls.count)
      let killed = try fixture.copy()
      #expect(try killed.open().content() == expected, "\(kind) \(call)")
      access.reset()
      // The store continues with the remaining files.
      try store.insert(newRow(["number": .integer(9)]))
      #expect(try fixture.copy().open().content() == store.content(), "\(kind) \(call)")
      #expect(try store.content().count == 6)
      call += 1
    }
    #expect(calls > 8)
  }

  @Test func `a save checkpoints at twice the limit of the journal, and no earlier`() throws {
    for limit in stride(from: 1_000, to: 1_100, by: 3) {
      let fixture = try StoreFixture()
      var configuration = fixture.configuration(durability: .none)
      configuration.journalLimit = limit
      configuration.backgroundCheckpointSize = 0
      let store = try JSONFileStore(configuration, migrationPlan: nil)
      try store.insert(newRow([:]))
      // Its thread is never done.
      let checkpoint = try begin(store)
      var sizes: [Int] = []
      while let size = try? Data(contentsOf: fixture.journal).count {
        sizes.append(size)
        try store.insert(newRow(["number": .integer(0)]))
      }
      let last = try #require(sizes.last)
      let record = try #require(zip(sizes.dropFirst(), sizes).map(-).max())
      #expect(last < 2 * limit + 2 && last > 2 * limit - record)
      withExtendedLifetime(checkpoint) {}
    }
  }

  @Test(arguments: [Int.max, .max - 1])
  func `no save checkpoints if the journal has no limit`(limit: Int) throws {
    var configuration = fixture.configuration(durability: .none)
    configuration.journalLimit = limit
    configuration.backgroundCheckpointSize = 0
    let store = try JSONFileStore(configuration, migrationPlan: nil)
    try fill(store)
    #expect(try fixture.names == ["items.json", "items.json.journal"])
  }

  @Test func `saves continue while a thread checkpoints`() throws {
    var configuration = fixture.configuration(durability: .none)
    configuration.journalLimit = 2000
    configuration.backgroundCheckpointSize = 0
    let store = try JSONFileStore(configuration, migrationPlan: nil)
    for number in Int64(0)..<500 {
      try store.insert(newRow(["number": .integer(number)]))
      // At twice the limit a save checkpoints, whatever the thread does.
      if let size = try? Data(contentsOf: fixture.journal).count { #expect(size < 4200) }
    }
    #expect(try fixture.copy().open().content() == store.content())
    #expect(try store.all().count == 500)
    #expect(try store.verify() == [])
  }
}
