import Foundation
import StoreFiles
import StoreProtocol
import StoreTestSupport
import Testing

@testable import SQLiteStore

@Suite("A program that closes a descriptor of its database")
struct LostLockTests {
  private let sample: OpenSample

  init() throws { sample = try OpenSample() }

  @Test(arguments: ["", "-shm", "-wal"])
  func `keeps the log when another program closes the file`(_ suffix: String) async throws {
    let store = try sample.open()
    try OpenSample.save(store, "1")
    // Closing the descriptor releases all of SQLite's locks on that file.
    _ = try Data(contentsOf: URL(filePath: sample.path + suffix))
    await #expect(processExitsWith: .success) { [path = sample.path as String] in
      try OtherProgram.read(path)
    }
    #expect(FileManager.default.fileExists(atPath: sample.log))
    try OpenSample.save(store, "2")
    try OpenSample.save(store, "3")
    #expect(try sample.titlesAfterKill() == ["1", "2", "3"])
    #expect(try OpenSample.titles(store) == ["1", "2", "3"])
  }

  @Test func `keeps the index of the log, which another program would otherwise rebuild`()
    async throws
  {
    let store = try sample.open()
    try OpenSample.save(store, "1")
    try OpenSample.save(store, "2")
    let before = store.transactionOfLog
    _ = try Data(contentsOf: URL(filePath: sample.index))
    await #expect(processExitsWith: .success) { [path = sample.path as String] in
      try OtherProgram.read(path)
    }
    #expect(store.transactionOfLog == before)
  }

  @Test func `takes the lock of the store that others find, after its file was removed`() throws {
    let store = try sample.open()
    try OpenSample.save(store, "1")
    let folder = try Folder(path: sample.folder.path(""))
    for _ in 0..<2 {
      try folder.remove("a.db.lock")
      _ = try store.whileWriting {
        #expect(throws: StoreLock.Failure.self) { try StoreLock(of: "a.db", in: folder) }
      }
      _ = try StoreLock(of: "a.db", in: folder)
    }
  }

  @Test func `removes the log when its last store closes`() throws {
    do {
      let store = try sample.open()
      let other = try sample.open()
      try OpenSample.save(store, "1")
      try OpenSample.save(other, "2")
    }
    #expect(!FileManager.default.fileExists(atPath: sample.log))
    #expect(!FileManager.default.fileExists(atPath: sample.index))
    #expect(try OpenSample.titles(sample.open()) == ["1", "2"])
  }

  @Test func `keeps the locks of its other connections`() throws {
    do { try OpenSample.save(sample.open(), "1") }
    let options = ConnectionOptions(location: .file(sample.path))
    let own = try Connection(options)
    #expect(try own.integer("SELECT count(*) FROM Item") == 1)
    do { try OpenSample.save(sample.open(), "2") }
    // Otherwise another process would act as the last one to close the file.
    let folder = try Folder(path: sample.folder.path(""))
    let range = FileRange(start: 0x4000_0002, length: 510)
    #expect(throws: FileError.self) { try folder.open("a.db", for: .updating) }
    let file = try folder.open("a.db", for: .updating, isPinned: true)
    #expect(file.hasProcessLock(range))
    var files = [file]
    let status = try file.status()
    own.close()
    PinnedFiles.unpin(status, &files, isInUse: false)
    try OpenSample.save(sample.open(), "3")
  }

  @Test func `cannot save again without open file locks, but loses nothing`()
    async throws
  {
    let access = OddFileAccess(.hasNoRangeLocks)
    var store: SQLiteStore? = try sample.open(access: access)
    try OpenSample.save(#require(store), "1")
    let copy = try OpenSample()
    for suffix in ["", "-wal"] {
      try FileManager.default.copyItem(atPath: sample.path + suffix, toPath: copy.path + suffix)
    }
    await #expect(processExitsWith: .success) { [path = sample.path as String] in
      try OtherProgram.read(path)
    }
    #expect(!FileManager.default.fileExists(atPath: sample.log))
    #expect(throws: DataStoreError.storeReplaced) { try OpenSample.save(#require(store), "2") }
    store = nil
    #expect(try OpenSample.titles(sample.open(access: access)) == ["1"])
    // The files that remain after a kill are checkpointed nevertheless.
    do { try OpenSample.save(copy.open(access: access), "2") }
    #expect(try copy.titlesAfterKill([""]) == ["1", "2"])
    #expect(!FileManager.default.fileExists(atPath: copy.log))
  }

  @Test func `cannot do so through the files of this package`() throws {
    let store = try sample.open()
    let folder = try Folder(path: sample.folder.path(""))
    let error = try #require(throws: FileError.self) { try folder.open("a.db", for: .reading) }
    #expect(error.isOpenDatabase)
    #expect(error.description.contains("a SQLite database that this process has open"))
    let file = try folder.open("a.db", for: .updating, isPinned: true)
    #expect(file.hasProcessLock(FileRange(start: 0x4000_0002, length: 510)))
    var files = [file]
    let status = try file.status()
    PinnedFiles.unpin(status, &files, isInUse: false)
    #expect(files.isEmpty)
    withExtendedLifetime(store) {}
  }
}
