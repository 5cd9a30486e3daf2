import Foundation
import SQLiteStore
import StoreProtocol
import Testing

@Suite("A save watcher")
struct SaveWatchTests {
  private let folder: TemporaryFolder
  private let store: SQLiteStore

  init() throws {
    folder = try TemporaryFolder()
    store = try .inFile(folder.path("a.db"))
    try store.insert([.new(SampleSchema.item)])
  }

  @Test func `reports the saves of another store on the file once`() throws {
    let other = try SQLiteStore.inFile(folder.path("a.db"))
    let watch = try #require(try store.watch())
    #expect(try watch.newSaves() == nil)
    for _ in 0..<3 { try other.insert([.new(SampleSchema.item)]) }
    #expect(try watch.newSaves() == 2...4)
    #expect(try watch.newSaves() == nil)
    try other.withWritableConnection { _ = try $0.execute("UPDATE Item SET title = 'x'") }
    #expect(try watch.newSaves() == 5...5)
    #expect(try watch.newSaves() == nil)
  }

  @Test func `reports the saves of its own store`() throws {
    let watch = try #require(try store.watch())
    let first = try store.apply(StoreChanges()).version
    try store.insert([.new(SampleSchema.item)])
    #expect(try watch.newSaves() == first...first + 1)
    #expect(try watch.newSaves() == nil)
    #expect(try SQLiteStore.inMemory().watch() == nil)
  }

  @Test func `reports the saves of another process`() async throws {
    let watch = try #require(try store.watch())
    let path = folder.path("a.db")
    await #expect(processExitsWith: .success) { [path = path as String] in
      let store = try SQLiteStore.inFile(path, busyTimeout: 5)
      for _ in 0..<5 { try store.insert([.new(SampleSchema.item)]) }
    }
    #expect(try watch.newSaves() == 2...6)
    #expect(try watch.newSaves() == nil)
    #expect(try store.count(StoreQuery(entity: "Item")) == 6)
  }

  @Test func `reports nothing for reads, compaction, a copy and failed writes`() throws {
    let watch = try #require(try store.watch())
    _ = try store.fetch(StoreQuery(entity: "Item"))
    try store.compact()
    try store.backup(to: folder.url.appending(path: "b.db"))
    #expect(throws: DataStoreError.self) {
      try store.withWritableConnection { _ = try $0.execute("INSERT INTO Item(title) VALUES (1)") }
    }
    #expect(try watch.newSaves() == nil)
  }

  @Test func `runs one statement if nothing was saved`() throws {
    let log = StatementLog()
    let watch = try #require(try SQLiteStore.inFile(folder.path("a.db"), log: log).watch())
    log.clear()
    for _ in 0..<10 { #expect(try watch.newSaves() == nil) }
    #expect(log.counts.texts == Array(repeating: "PRAGMA data_version", count: 10))
    #expect(log.counts.prepared == 0)
  }

  @Test func `closes its connection when it ends or fails`() throws {
    weak var connection: AnyObject?
    func readOneRow() throws {
      let row = PersistentIdentifier(.integer(1), of: "Item", in: store.identifier)
      try store.read(.row(row, of: "Item")) { _ in }
      connection = try store.readingConnection()
    }
    try readOneRow()
    do {
      let watch = try #require(try store.watch())
      #expect(connection != nil)
      withExtendedLifetime(watch) {}
    }
    #expect(connection == nil)
    try readOneRow()
    let watch = try #require(try store.watch())
    let (path, away) = (folder.path("a.db"), folder.path("away.db"))
    try FileManager.default.moveItem(atPath: path, toPath: away)
    #expect(throws: DataStoreError.storeReplaced) { try watch.newSaves() }
    #expect(connection == nil)
  }

  @Test func `throws while the file is moved away, and continues when it is back`() throws {
    let watch = try #require(try store.watch())
    let (path, away) = (folder.path("a.db"), folder.path("away.db"))
    try FileManager.default.moveItem(atPath: path, toPath: away)
    #expect(throws: DataStoreError.storeReplaced) { try watch.newSaves() }
    try FileManager.default.moveItem(atPath: away, toPath: path)
    #expect(try watch.newSaves() == nil)
    try store.insert([.new(SampleSchema.item)])
    #expect(try watch.newSaves() == 2...2)
  }
}
