import Foundation
import StoreFiles
import StoreProtocol
import Testing

@testable import JSONFileStore

/// Checkpointing on a thread of its own; here its steps are taken one by one.
@Suite struct BackgroundCheckpointTests {
  private let fixture: StoreFixture

  init() throws { fixture = try StoreFixture() }

  private func begin(_ store: JSONFileStore) throws -> BackgroundCheckpoint {
    try #require(store.core.inner.withLock { store.core.beginCheckpoint(&$0) })
  }

  private func fill(_ store: JSONFileStore) throws {
    for number in Int64(0)..<5 { try store.insert(newRow(["number": .integer(number)])) }
  }

  @Test func `what was written aside takes the document's place`() throws {
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
  func `a save in between stays, and the document is not taken`(isWritten: Bool) throws {
    let store = try fixture.open()
    try fill(store)
    let checkpoint = try begin(store)
    let early = isWritten ? checkpoint.write() : nil
    try store.insert(newRow(["number": .integer(9)]))
    store.core.finish(checkpoint, early ?? checkpoint.write())
    #expect(try fixture.names == ["items.json", "items.json.journal"])
    #expect(try fixture.copy().open().content() == store.content())
    // It is tried again, then with the save.
    let again = try begin(store)
    store.core.finish(again, again.write())
    #expect(try fixture.names == ["items.json"])
    #expect(try fixture.copy().open().all().count == 6)
  }

  @Test func `a checkpoint at once, an erasure or a close in between is not undone`() throws {
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

  @Test func `a document that another program wrote meanwhile is not overwritten`() throws {
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
  func `each call fails and no save is lost`(kind: JSONFileStoreFaultTests.Kind) throws {
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
      // The store goes on, on whatever files there are now.
      try store.insert(newRow(["number": .integer(9)]))
      #expect(try fixture.copy().open().content() == store.content(), "\(kind) \(call)")
      #expect(try store.content().count == 6)
      call += 1
    }
    #expect(calls > 8)
  }

  @Test func `saves go on while a thread checkpoints`() throws {
    var configuration = fixture.configuration(durability: .none)
    configuration.journalLimit = 2000
    configuration.backgroundCheckpointSize = 0
    let store = try JSONFileStore(configuration, migrationPlan: nil)
    for number in Int64(0)..<500 {
      try store.insert(newRow(["number": .integer(number)]))
      // At the double it is checkpointed at once, whatever the thread does.
      if let size = try? Data(contentsOf: fixture.journal).count { #expect(size < 4200) }
    }
    #expect(try fixture.copy().open().content() == store.content())
    #expect(try store.all().count == 500)
    #expect(try store.verify() == [])
  }
}
