import CSQLite
import Foundation
import StoreFiles
import SQLiteStore
import SQLiteTestSupport
import StoreProtocol
import Testing

@Suite("Compacting a store")
struct CompactionTests {
  private let folder: TemporaryFolder
  private let store: SQLiteStore

  init() throws {
    folder = try TemporaryFolder()
    store = try .inFile(folder.path("a.db"))
  }

  private static func items(_ count: Int) -> [DefaultSnapshot] {
    (0..<count).map {
      .new(SampleSchema.item, ["title": .string("\($0) " + String(repeating: "x", count: 1_000))])
    }
  }

  private func size(_ name: String) -> Int {
    (try? FileManager.default.attributesOfItem(atPath: folder.path(name))[.size] as? Int) ?? 0
  }

  @Test func `frees the space of deleted rows, and keeps the keys`() throws {
    let identifiers = try store.insert(Self.items(1_000))
    _ = try store.apply(StoreChanges(deleted: Array(identifiers.dropLast(10))))
    let kept = try store.fetch(StoreQuery(entity: "Item"))
    try store.compact()
    #expect(size("a.db") < 110_000)
    #expect(size("a.db-wal") == 0)
    #expect(try store.fetch(StoreQuery(entity: "Item")) == kept)
    #expect(try store.insert(Self.items(1)).map(\.integerKey) == [1_001])
    #expect(try store.verify() == [])
  }

  @Test func `frees the space of deleted rows in memory`() throws {
    let store = try SQLiteStore.inMemory()
    let identifiers = try store.insert(Self.items(100))
    _ = try store.apply(StoreChanges(deleted: Array(identifiers.dropLast(10))))
    try store.compact()
    #expect(try store.count(StoreQuery(entity: "Item")) == 10)
    #expect(try store.integer("PRAGMA freelist_count") == 0)
  }

  @Test func `lets other stores read the state in which they began`() throws {
    let identifiers = try store.insert(Self.items(300))
    let other = try SQLiteStore.inFile(folder.path("a.db"))
    var rows = 0
    try other.read(StoreQuery(entity: "Item")) { _ in
      if rows == 0 {
        _ = try store.apply(StoreChanges(deleted: Array(identifiers.dropFirst())))
        try store.compact()
      }
      rows += 1
    }
    #expect(rows == 300)
    #expect(try other.count(StoreQuery(entity: "Item")) == 1)
    _ = try other.insert(Self.items(1))
    #expect(try store.verify() == [])
  }

  @Test func `removes the store's files that no row references, and no others`() throws {
    let store = try SQLiteStore.withFiles(folder.path("a.db.other"))
    let files = folder.url.appending(path: "a.db.other.files")
    try store.insert([FileSample.picture("p", ["photo": FileSample.data(300)])])
    let foreign = String(repeating: "0", count: 32)
    let own = store.newValueFileName()
    for name in [foreign, own] { try Data("x".utf8).write(to: files.appending(path: name)) }
    try store.compact()
    let names = try FileManager.default.contentsOfDirectory(atPath: files.path)
    #expect(names.count == 2 && names.contains(foreign) && !names.contains(own))
    #expect(try store.verify() == [])
  }

  @Test func `is refused for a read-only store and while another process saves`() throws {
    try store.insert(Self.items(1))
    let reading = try SQLiteStore.inFile(folder.path("a.db"), nil, allowsSave: false)
    #expect(throws: DataStoreError.storeReadOnly) { try reading.compact() }
    let lock = try StoreLock(of: "a.db", in: Folder(path: folder.url.path))
    #expect(throws: DataStoreError.storeBusy) { try store.compact() }
    withExtendedLifetime(lock) {}
  }

  @Test func `is refused if another process has changed the schema`() throws {
    let extra = StoreEntity(name: "Extra", properties: [SampleSchema.attribute("a", .string)])
    let schema = StoreSchema(entities: SampleSchema.store.entities + [extra])
    _ = try SQLiteStore.inFile(folder.path("a.db"), schema)
    #expect(throws: DataStoreError.schemaMismatch) { try store.compact() }
  }

  /// Each call begins a permanent fault, like a full disk.
  @Test(arguments: [SQLITE_FULL, SQLITE_IOERR])
  func `leaves the rows unchanged after a fault at any call`(code: Int32) throws {
    let files = try FaultyFiles()
    var configuration = SQLiteStoreConfiguration(
      schema: Schema(storeSchema: SampleSchema.store),
      url: URL(filePath: folder.path("b.db"))
    )
    configuration.fileSystem = files.name
    let store = try SQLiteStore(configuration, migrationPlan: nil)
    let identifiers = try store.insert(Self.items(60))
    _ = try store.apply(StoreChanges(deleted: Array(identifiers.dropLast(20))))
    let rows = try store.fetch(StoreQuery(entity: "Item"))
    files.reset()
    try store.compact()
    let calls = files.calls.count
    try #require(calls > 20)
    for call in 0..<calls {
      _ = try store.insert(Self.items(1)).map { try store.apply(StoreChanges(deleted: [$0])) }
      files.reset(FaultyFiles.Fault(call: call, count: .max / 2, code: code))
      do {
        try store.compact()
      } catch {
        #expect(error as? DataStoreError == .notSaved, "call \(call)")
      }
      files.reset()
      #expect(try store.fetch(StoreQuery(entity: "Item")) == rows, "call \(call)")
    }
    try store.compact()
    #expect(try store.verify() == [])
  }
}
