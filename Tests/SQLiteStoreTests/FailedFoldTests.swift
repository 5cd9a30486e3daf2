import Foundation
import SQLiteTestSupport
import StoreFiles
import StoreProtocol
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
    return try SQLiteStore(configuration, migrationPlan: nil)
  }

  func grow(_ store: SQLiteStore, _ count: Int = 60) throws {
    try store.insert(
      (0..<count).map { _ in
        .new(SampleSchema.item, ["title": .string(String(repeating: "x", count: 900))])
      }
    )
  }

  func fold(_ store: SQLiteStore) throws -> Bool {
    try store.database.writer.withSlot { slot in
      try slot.usableConnection().checkpoint(keepsLength: true)
    }
  }

  /// How many objects are found after the file system was taken away and mounted again.
  func countOnDisk() throws -> Int {
    let copy = try TemporaryFolder()
    for (place, suffix) in [(FaultyFiles.Call.Place.database, ""), (.log, "-wal")]
    where FileManager.default.fileExists(atPath: path + suffix) {
      var bytes = try Data(contentsOf: URL(filePath: path + suffix))
      for block in files.lostBlocks(of: place) {
        let start = block * FaultyFiles.blockSize
        guard start < bytes.count else { continue }
        let end = min(start + FaultyFiles.blockSize, bytes.count)
        bytes.replaceSubrange(start..<end, with: Data(count: end - start))
      }
      try bytes.write(to: URL(filePath: copy.path("a.db") + suffix))
    }
    let store = try SQLiteStore.inFile(copy.path("a.db"))
    #expect(try store.database.read { try $0.text("PRAGMA integrity_check") } == "ok")
    return try store.count(StoreQuery(entity: "Item"))
  }
}

@Suite("A fold that the system refuses")
struct FailedFoldTests {
  @Test func `is done again on pages that reach the disk`() throws {
    let sample = try GrownSample()
    let store = try sample.open()
    try sample.grow(store)
    sample.files.reset(.noDatabaseSync)
    #expect(try !sample.fold(store))
    #expect(!sample.files.lostBlocks(of: .database).isEmpty)
    #expect(try sample.countOnDisk() == 60)
    sample.files.reset()
    try sample.grow(store, 1)
    #expect(try sample.fold(store))
    #expect(sample.files.lostBlocks(of: .database) == [])
    #expect(try sample.countOnDisk() == 61)
  }

  @Test func `is noticed by another connection`() throws {
    let sample = try GrownSample()
    let store = try sample.open()
    let other = try sample.open()
    try sample.grow(store)
    sample.files.reset(.noDatabaseSync)
    #expect(try !sample.fold(store))
    sample.files.reset()
    try sample.grow(other, 1)
    #expect(try sample.fold(other))
    #expect(sample.files.lostBlocks(of: .database) == [])
    #expect(try sample.countOnDisk() == 61)
  }

  @Test func `at a close is done again by the next opening`() throws {
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

  @Test func `waits for readers, and folds what was folded before them as well`() throws {
    let sample = try GrownSample()
    let store = try sample.open()
    try sample.grow(store)
    try store.database.readSnapshot { reader in
      _ = try reader.integer("SELECT count(*) FROM Item")
      try sample.grow(store)
      // As far as the reader is, and nothing of it is synced.
      #expect(try !sample.fold(store))
    }
    sample.files.reset(.noDatabaseSync)
    #expect(try !sample.fold(store))
    #expect(!sample.files.lostBlocks(of: .database).isEmpty)
    sample.files.reset()
    try store.database.readSnapshot { reader in
      _ = try reader.integer("SELECT count(*) FROM Item")
      #expect(try !sample.fold(store))
      #expect(sample.files.calls.allSatisfy { $0.place != .database })
      #expect(try reader.integer("SELECT count(*) FROM Item") == 120)
    }
    #expect(try sample.fold(store))
    #expect(sample.files.lostBlocks(of: .database) == [])
    #expect(try sample.countOnDisk() == 120)
  }

  @Test func `is made certain by an opening, so that later folds wait for nobody`() throws {
    let sample = try GrownSample()
    do {
      let store = try sample.open()
      try sample.grow(store)
      sample.files.reset(.noDatabaseSync)
    }
    sample.files.reset()
    let store = try sample.open()
    try store.database.writer.withSlot { slot in
      let connection = try slot.usableConnection()
      let index = try #require(connection.logIndex)
      #expect(index.frameCount > 0 && !index.hasUnfinishedFold)
    }
    #expect(try sample.countOnDisk() == 60)
  }

  @Test func `is left alone where another database has taken the name`() throws {
    let sample = try GrownSample()
    let store = try sample.open()
    try sample.grow(store)
    sample.files.reset(.noDatabaseSync)
    #expect(try !sample.fold(store))
    sample.files.reset()
    let size = try Data(contentsOf: URL(filePath: sample.path)).count
    try FileManager.default.moveItem(atPath: sample.path, toPath: sample.folder.path("moved.db"))
    #expect(FileManager.default.createFile(atPath: sample.path, contents: Data([1, 2, 3])))
    let isReady = store.database.writer.withConnection { $0.isReadyToFold() }
    #expect(!isReady)
    #expect(sample.files.calls.isEmpty)
    let moved = try Data(contentsOf: URL(filePath: sample.folder.path("moved.db")))
    #expect(moved.count == size)
  }

  @Test func `is not done by frames of another log`() throws {
    let sample = try GrownSample()
    let store = try sample.open()
    try sample.grow(store)
    let folder = try Folder(path: sample.folder.path(""))
    let log = LogFile(of: "a.db", in: folder)
    let logIndex = store.database.writer.withConnection { $0.logIndex }
    let index = try #require(logIndex)
    #expect(try log.pages(upTo: index).contains(1))
    var bytes = try Data(contentsOf: URL(filePath: sample.path + "-wal"))
    bytes[index.offset(ofFrame: 1) + 8] ^= 1
    try bytes.write(to: URL(filePath: folder.path(of: "b.db-wal")))
    #expect(throws: FileError.self) { try LogFile(of: "b.db", in: folder).pages(upTo: index) }
  }

  @Test func `is not looked for in a file that has no log`() throws {
    let folder = try TemporaryFolder()
    let path = folder.path("a.db")
    #expect(FileManager.default.createFile(atPath: path, contents: nil))
    var options = ConnectionOptions(location: .file(path))
    options.logFile = LogFile(of: "a.db", in: try Folder(path: folder.path("")))
    let connection = try Connection(options)
    try connection.execute("CREATE TABLE a (b)")
    connection.distrustsFiles = true
    #expect(connection.isReadyToFold())
    let others: Void? = connection.withoutOthers {}
    #expect(others == nil)
    // An index that SQLite does not know of would stay open.
    #expect(!FileManager.default.fileExists(atPath: path + "-shm"))
  }

  @Test func `costs nothing where none has failed`() throws {
    let sample = try GrownSample()
    let store = try sample.open()
    try sample.grow(store)
    sample.files.reset()
    #expect(try sample.fold(store))
    #expect(sample.files.calls.filter { $0.kind == .sync }.map(\.place) == [.log, .database])
  }
}
