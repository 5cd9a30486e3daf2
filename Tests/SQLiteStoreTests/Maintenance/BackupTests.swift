import CSQLite
import Foundation
import SQLiteStore
import SQLiteTestSupport
import StoreProtocol
import StoreTestSupport
import Synchronization
import Testing

@Suite("Backing up a store")
struct BackupTests {
  private let folder: TemporaryFolder
  private let store: SQLiteStore

  private var copy: URL { folder.url.appending(path: "b.db") }

  init() throws {
    folder = try TemporaryFolder()
    store = try .inFile(folder.path("a.db"))
    try VerificationTests.fill(store)
  }

  @Test func `creates a separate store with the same rows and identifiers`() throws {
    let before = try folder.names()
    try store.backup(to: copy)
    #expect(try folder.names() == (before + ["b.db"]).sorted())
    let attributes = try FileManager.default.attributesOfItem(atPath: copy.path)
    #expect(attributes[.posixPermissions] as? Int == 0o600)
    let opened = try SQLiteStore.inFile(copy.path, nil)
    #expect(opened.identifier == store.identifier)
    for entity in ["Values", "Trip", "Item", "Tag"] {
      let query = StoreQuery(entity: entity)
      #expect(try opened.fetch(query) == store.fetch(query))
    }
    #expect(try opened.verify() == [])
    _ = try opened.insert([.new(SampleSchema.item)])
    #expect(try store.count(StoreQuery(entity: "Item")) == 1)
  }

  @Test func `copies a read-only store and a store in memory`() throws {
    try SQLiteStore.inFile(folder.path("a.db"), nil, allowsSave: false).backup(to: copy)
    let memory = try SQLiteStore.inMemory()
    try VerificationTests.fill(memory)
    try memory.backup(to: folder.url.appending(path: "c.db"))
    for name in ["b.db", "c.db"] {
      let opened = try SQLiteStore.inFile(folder.path(name), nil, allowsSave: name == "c.db")
      #expect(try opened.count(StoreQuery(entity: "Trip")) == 2)
      #expect(try opened.verify() == [])
    }
  }

  @Test func `creates a copy that a log at its later path cannot change`() throws {
    try store.backup(to: copy)
    let count = try store.count(StoreQuery(entity: "Item"))
    try store.insert([.new(SampleSchema.item)])
    // As after a kill of the program, and with the copy in place of the file.
    let restored = folder.path("c.db")
    let manager = FileManager.default
    try manager.copyItem(atPath: copy.path, toPath: restored)
    try manager.copyItem(atPath: folder.path("a.db-wal"), toPath: restored + "-wal")
    for allowsSave in [true, false] {
      let error = #expect(throws: DataStoreError.self) {
        try SQLiteStore.inFile(restored, nil, allowsSave: allowsSave)
      }
      #expect(error == .storeDamaged)
      #expect(error?.message.contains("remove the log") == true)
    }
    #expect(manager.contentsEqual(atPath: copy.path, andPath: restored))
    try manager.removeItem(atPath: restored + "-wal")
    let opened = try SQLiteStore.inFile(restored, nil)
    #expect(try opened.count(StoreQuery(entity: "Item")) == count)
    #expect(try opened.insert([.new(SampleSchema.item)]).count == 1)
  }

  @Test func `copies one state despite concurrent saves`() throws {
    let isArmed = Mutex(false)
    let other = try SQLiteStore.inFile(folder.path("a.db"), busyTimeout: 5)
    let pair: @Sendable () throws -> Void = {
      let title = StoreValue.string(String(repeating: "y", count: 500))
      try other.insert([
        .new(SampleSchema.item, ["title": title]), .new(SampleSchema.item, ["title": title]),
      ])
    }
    let log = StatementLog { _ in
      guard isArmed.withLock({ $0 }) else { return }
      #expect(throws: Never.self) { try pair() }
    }
    let large = (0..<3_000).map { _ in
      DefaultSnapshot.new(
        SampleSchema.item,
        ["title": .string(String(repeating: "x", count: 1_500))]
      )
    }
    let store = try SQLiteStore.inFile(folder.path("a.db"), log: log)
    try store.insert(large + [.new(SampleSchema.item)])
    isArmed.withLock { $0 = true }
    try store.backup(to: copy)
    isArmed.withLock { $0 = false }
    let count = try SQLiteStore.inFile(copy.path, nil).count(StoreQuery(entity: "Item"))
    #expect(count % 2 == 0 && count >= 3_002, "\(count)")
    #expect(try store.count(StoreQuery(entity: "Item")) >= count + 4)
    #expect(try SQLiteStore.inFile(copy.path, nil).verify() == [])
  }

  @Test func `includes values in files`() throws {
    let folder = try TemporaryFolder()
    let store = try SQLiteStore.withFiles(folder.path("a.db"))
    try store.insert([
      FileSample.picture("p", ["photo": FileSample.data(3_000_000), "small": FileSample.data(9)]),
      FileSample.picture("q", ["notes": .string(String(repeating: "n", count: 200))]),
    ])
    try folder.run(
      "INSERT INTO Picture(_key, name, photo) SELECT 2000, 'r', photo FROM Picture LIMIT 1"
    )
    try Data("x".utf8).write(to: folder.valueFile(String(repeating: "0", count: 32)))
    let copy = folder.url.appending(path: "b.db")
    try store.backup(to: copy)
    let names = try folder.names().filter { $0.hasPrefix("b.db.files/") }
    #expect(names.count == 2)
    let opened = try SQLiteStore.withFiles(copy.path)
    #expect(try opened.pictures() == store.pictures())
    #expect(try opened.verify().filter { $0.identifier?.integerKey != 2_000 } == [])
  }

  @Test(arguments: ["b.db", "b.db-wal", "b.db-shm", "b.db-journal", "b.db.files"])
  func `replaces no existing files`(name: String) throws {
    try Data("precious".utf8).write(to: folder.url.appending(path: name))
    let before = try folder.contents()
    let error = try #require(throws: DataStoreError.self) { try store.backup(to: copy) }
    #expect(error == .io)
    #expect(error.message.contains("already exist"), "\(error)")
    #expect(try folder.contents() == before)
    #expect(throws: DataStoreError.io) { try store.backup(to: folder.url.appending(path: "a.db")) }
    #expect(try folder.contents() == before)
  }

  @Test(arguments: ["none/b.db", "b.journal", ""])
  func `refuses a path where no store can be created`(name: String) throws {
    let before = try folder.contents()
    #expect(throws: DataStoreError.self) { try store.backup(to: folder.url.appending(path: name)) }
    #expect(try folder.contents() == before)
  }

  @Test func `refuses to copy a damaged store`() throws {
    let path = folder.path("damaged.db")
    try store.backup(to: URL(filePath: path))
    var bytes = try Data(contentsOf: URL(filePath: path))
    let page = try store.integer("SELECT rootpage FROM sqlite_master WHERE name = 'Item(trip)'")
    let start = (Int(try #require(page)) - 1) * 4_096
    bytes.replaceSubrange(start..<start + 4_096, with: Data(count: 4_096))
    try bytes.write(to: URL(filePath: path))
    let damaged = try SQLiteStore.inFile(path, nil)
    #expect(throws: DataStoreError.storeDamaged) { try damaged.backup(to: copy) }
    #expect(try folder.names().filter { $0.contains("b.db") } == [])
  }
}

@Suite("A backup that fails")
struct BackupFaultTests {
  private let folder: TemporaryFolder
  private let access = FaultyFileAccess()
  private let files: FaultyFiles
  private let store: SQLiteStore

  private var copy: URL { folder.url.appending(path: "b.db") }

  init() throws {
    folder = try TemporaryFolder()
    files = try FaultyFiles()
    var configuration = SQLiteStoreConfiguration(
      schema: Schema(storeSchema: FileSample.schema),
      url: URL(filePath: folder.path("a.db"))
    )
    configuration.externalStorageThreshold = FileSample.threshold
    configuration.access = access
    configuration.fileSystem = files.name
    store = try SQLiteStore(configuration, migrationPlan: nil)
    try store.insert([FileSample.picture("p", ["photo": FileSample.data(300)])])
  }

  /// Removes a copy that was made nevertheless.
  private func removeCopy() throws {
    for name in try FileManager.default.contentsOfDirectory(atPath: folder.url.path)
    where name.contains("b.db") {
      try FileManager.default.removeItem(atPath: folder.path(name))
    }
  }

  @Test(arguments: [false, true])
  func `leaves no files, at any file call`(isLate: Bool) throws {
    access.reset()
    try store.backup(to: copy)
    let calls = access.calls.count
    try #require(calls > 15)
    try removeCopy()
    let before = try folder.names()
    var refusals = 0
    for call in 0..<calls {
      access.reset(isLate ? .late(call: call, code: ENOSPC) : .once(call: call, code: ENOSPC))
      do {
        try store.backup(to: copy)
        access.reset()
        #expect(try SQLiteStore.withFiles(copy.path, allowsSave: false).verify() == [])
      } catch {
        access.reset()
        refusals += 1
        #expect(error as? DataStoreError == .io, "call \(call): \(error)")
        #expect(try folder.names() == before, "call \(call)")
      }
      try removeCopy()
    }
    #expect(refusals > (isLate ? 5 : 15))
    #expect(try store.verify() == [])
  }

  @Test(arguments: [SQLITE_FULL, SQLITE_IOERR])
  func `leaves no files, at any call of SQLite`(code: Int32) throws {
    files.reset()
    try store.backup(to: copy)
    let calls = files.calls.count
    try #require(calls > 3)
    try removeCopy()
    let before = try folder.names()
    for call in 0..<calls {
      files.reset(FaultyFiles.Fault(call: call, count: .max / 2, code: code))
      do {
        try store.backup(to: copy)
        files.reset()
        #expect(try SQLiteStore.withFiles(copy.path, allowsSave: false).verify() == [])
      } catch {
        files.reset()
        #expect(error as? DataStoreError == .io, "call \(call): \(error)")
        #expect(try folder.names() == before, "call \(call)")
      }
      try removeCopy()
    }
    #expect(try store.pictures().count == 1)
  }
}
