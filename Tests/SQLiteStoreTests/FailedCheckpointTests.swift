import Foundation
import StoreFiles
import SQLiteTestSupport
import StoreProtocol
import StoreTestSupport
import Testing

@testable import SQLiteStore

/// A store whose file has grown in its log, on a file system that loses what is written over blocks
/// that it could not write.
private struct GrownSample {
  let folder: TemporaryFolder
  let files: FaultyFiles
  var path: String { folder.path("a.db") }

  init() throws {
    folder = try TemporaryFolder()
    files = try FaultyFiles()
  }

  func open() throws -> SQLiteStore {
    var configuration = SQLiteStoreConfiguration(
      schema: Schema(storeSchema: SampleSchema.store),
      url: URL(filePath: path)
    )
    configuration.busyTimeout = 0.5
    configuration.fileSystem = files.name
    configuration.access = FaultyFileAccess { [files] path, range in
      files.forget(range, of: path.hasSuffix("-wal") ? .log : .database)
    }
    return try SQLiteStore(configuration, migrationPlan: nil)
  }

  func grow(_ store: SQLiteStore, _ count: Int = 60) throws {
    try store.insert(
      (0..<count).map { _ in
        .new(SampleSchema.item, ["title": .string(String(repeating: "x", count: 900))])
      }
    )
  }

  func checkpoint(_ store: SQLiteStore) throws -> Bool {
    let file = try #require(store.database.file)
    return store.database.writer.withSlot { slot in
      store.database.checkpoint(slot, file, keepsLength: true)
    }
  }

  /// Returns the number of objects after the file system is unmounted and mounted again.
  func countOnDisk() throws -> Int {
    let copy = try TemporaryFolder()
    for (role, suffix) in [(FaultyFiles.Call.Role.database, ""), (.log, "-wal")]
    where FileManager.default.fileExists(atPath: path + suffix) {
      var bytes = try Data(contentsOf: URL(filePath: path + suffix))
      for block in files.lostBlocks(of: role) {
        let start = block * FaultyFiles.blockSize
        guard start < bytes.count else { continue }
        let end = min(start + FaultyFiles.blockSize, bytes.count)
        bytes.replaceSubrange(start..<end, with: Data(count: end - start))
      }
      try bytes.write(to: URL(filePath: copy.path("a.db") + suffix))
    }
    let store = try SQLiteStore.inFile(copy.path("a.db"))
    #expect(try store.text("PRAGMA integrity_check") == "ok")
    return try store.count(StoreQuery(entity: "Item"))
  }
}

@Suite("A checkpoint that fails")
struct FailedCheckpointTests {
  @Test func `is repeated with pages that reach the disk`() throws {
    let sample = try GrownSample()
    let store = try sample.open()
    try sample.grow(store)
    sample.files.reset(.noDatabaseSync)
    #expect(try !sample.checkpoint(store))
    #expect(!sample.files.lostBlocks(of: .database).isEmpty)
    #expect(try sample.countOnDisk() == 60)
    sample.files.reset()
    try sample.grow(store, 1)
    #expect(try sample.checkpoint(store))
    #expect(sample.files.lostBlocks(of: .database) == [])
    #expect(try sample.countOnDisk() == 61)
  }

  @Test func `is not repeated while another store has the file open`() throws {
    let sample = try GrownSample()
    var store: SQLiteStore? = try sample.open()
    let other = try sample.open()
    try sample.grow(#require(store))
    sample.files.reset(.noDatabaseSync)
    #expect(try !sample.checkpoint(#require(store)))
    sample.files.reset()
    try sample.grow(other, 1)
    #expect(try !sample.checkpoint(other))
    store = nil
    #expect(sample.files.calls.allSatisfy { $0.role != .database })
    #expect(try sample.countOnDisk() == 61)
    #expect(try sample.checkpoint(other))
    #expect(sample.files.lostBlocks(of: .database) == [])
    #expect(try sample.countOnDisk() == 61)
  }

  @Test func `is repeated beside other stores if a kill interrupted it without a failure`() throws {
    let sample = try GrownSample()
    let store = try sample.open()
    let other = try sample.open()
    try sample.grow(store)
    sample.files.reset(.noDatabaseSync)
    #expect(try !sample.checkpoint(store))
    let file = try #require(other.database.file)
    #expect(try file.hasNotedFailure)
    // The state after a kill: a checkpoint was begun, and its failure is not recorded.
    try file.forgetFailure()
    #expect(store.database.writer.withConnection { $0.logIndex }?.hasUnfinishedCheckpoint == true)
    sample.files.reset()
    #expect(try sample.checkpoint(other))
    #expect(store.database.writer.withConnection { $0.logIndex }?.hasUnfinishedCheckpoint == false)
  }

  @Test func `during closing is repeated when the store is next opened`() throws {
    let sample = try GrownSample()
    do {
      let store = try sample.open()
      try sample.grow(store)
      sample.files.reset(.noDatabaseSync)
    }
    #expect(!sample.files.lostBlocks(of: .database).isEmpty)
    sample.files.reset()
    do {
      let store = try sample.open()
      try sample.grow(store, 1)
    }
    #expect(!FileManager.default.fileExists(atPath: sample.path + "-wal"))
    #expect(sample.files.lostBlocks(of: .database) == [])
    #expect(try sample.countOnDisk() == 61)
  }

  @Test func `waits for readers, and repeats the frames that were checkpointed before them`() throws
  {
    let sample = try GrownSample()
    let store = try sample.open()
    try sample.grow(store)
    try store.database.readSnapshot { reader in
      _ = try reader.integer("SELECT count(*) FROM Item")
      try sample.grow(store)
      // Only the frames up to the reader's state are written, and they are not synced.
      #expect(try !sample.checkpoint(store))
    }
    sample.files.reset(.noDatabaseSync)
    #expect(try !sample.checkpoint(store))
    #expect(!sample.files.lostBlocks(of: .database).isEmpty)
    sample.files.reset()
    try store.database.readSnapshot { reader in
      _ = try reader.integer("SELECT count(*) FROM Item")
      #expect(try !sample.checkpoint(store))
      #expect(sample.files.calls.allSatisfy { $0.role != .database })
      #expect(try reader.integer("SELECT count(*) FROM Item") == 120)
    }
    #expect(try sample.checkpoint(store))
    #expect(sample.files.lostBlocks(of: .database) == [])
    #expect(try sample.countOnDisk() == 120)
  }

  @Test func `is repeated by opening the store, so that later checkpoints need not wait`() throws {
    let sample = try GrownSample()
    do {
      let store = try sample.open()
      try sample.grow(store)
      sample.files.reset(.noDatabaseSync)
    }
    sample.files.reset()
    let store = try sample.open()
    let other = try sample.open()
    #expect(sample.files.lostBlocks(of: .database) == [])
    #expect(try sample.countOnDisk() == 60)
    try sample.grow(other, 1)
    #expect(try sample.checkpoint(other))
    #expect(try sample.countOnDisk() == 61)
    withExtendedLifetime(store) {}
  }

  @Test func `is not repeated if another database has taken its name`() throws {
    let sample = try GrownSample()
    let store = try sample.open()
    try sample.grow(store)
    sample.files.reset(.noDatabaseSync)
    #expect(try !sample.checkpoint(store))
    sample.files.reset()
    let size = try Data(contentsOf: URL(filePath: sample.path)).count
    try FileManager.default.moveItem(atPath: sample.path, toPath: sample.folder.path("moved.db"))
    #expect(FileManager.default.createFile(atPath: sample.path, contents: Data([1, 2, 3])))
    #expect(try !sample.checkpoint(store))
    #expect(sample.files.calls.isEmpty)
    let moved = try Data(contentsOf: URL(filePath: sample.folder.path("moved.db")))
    #expect(moved.count == size)
  }

  @Test func `repeats only the valid frames of the log`() throws {
    let sample = try GrownSample()
    let store = try sample.open()
    try sample.grow(store)
    let folder = try Folder(path: sample.folder.path(""))
    let whole = try #require(try LogFile(of: "a.db", in: folder).frames())
    #expect(whole.pages.contains(1))
    #expect(whole.end == store.database.writer.withConnection { $0.logIndex }?.logSize)
    var bytes = try Data(contentsOf: URL(filePath: sample.path + "-wal"))
    try bytes.prefix(whole.end - 10).write(to: URL(filePath: folder.path(of: "b.db-wal")))
    #expect(try LogFile(of: "b.db", in: folder).frames()?.pages == whole.pages.dropLast())
    bytes[32 + (24 + whole.pageSize) * 2 + 8] ^= 1
    try bytes.write(to: URL(filePath: folder.path(of: "b.db-wal")))
    let cut = try #require(try LogFile(of: "b.db", in: folder).frames())
    #expect(cut.pages == Array(whole.pages[..<2]))
    try bytes.prefix(31).write(to: URL(filePath: folder.path(of: "b.db-wal")))
    #expect(try LogFile(of: "b.db", in: folder).frames()?.end == 0)
    #expect(try LogFile(of: "c.db", in: folder).frames()?.pages == nil)
  }

  @Test(arguments: [0, 16, 500])
  func `reads a log that another process truncates up to its end`(size: Int) throws {
    let sample = try GrownSample()
    let store = try sample.open()
    try sample.grow(store)
    let copy = sample.folder.path("b.db-wal")
    try FileManager.default.copyItem(atPath: sample.path + "-wal", toPath: copy)
    let log = LogFile(of: "b.db", in: try Folder(path: sample.folder.path("")))
    let frames = try #require(try log.frames())
    #expect(try frames.committedBytes(ofPage: 1, count: 16)?.count == 16)
    #expect(truncate(copy, size) == 0)
    #expect(try frames.committedBytes(ofPage: 1, count: 16) == nil)
  }

  @Test func `adds no syncs if none has failed`() throws {
    let sample = try GrownSample()
    let store = try sample.open()
    try sample.grow(store)
    sample.files.reset()
    #expect(try sample.checkpoint(store))
    #expect(sample.files.calls.filter { $0.kind == .sync }.map(\.role) == [.log, .database])
  }
}
