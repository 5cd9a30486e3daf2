import Foundation
import SQLiteStore
import StoreProtocol
import StoreTestSupport
import Synchronization
import Testing

/// Saves that wait for each other while the store is erased, compacted, migrated, closed or replaced.
@Suite("Saves that are committed together, beside other work", .timeLimit(.minutes(30)))
struct GroupsBesideWorkTests {
  @Test func `are in one order with an erase, and do not restore what it erased`() throws {
    let sample = try GroupSample(waiting: 5)
    let saves = [
      sample.newItem("0"), sample.newItem("1"), nil, sample.newItem("3"), sample.staleChange(),
      sample.newItem("5"),
    ]
    let results = sample.run(saves.count) { index -> Int64 in
      if let changes = saves[index] { return try sample.store.apply(changes).version }
      try sample.store.erase()
      return 4
    }
    #expect(results.map { try? $0.get() } == [2, 3, 4, 5, nil, 6])
    #expect(throws: DataStoreError.conflict) { try results[4].get() }
    #expect(try sample.titlesAfterKill() == ["3", "5"])
    #expect(try sample.store.transactions(StoreHistoryQuery()).map(\.number) == [5, 6])
    // The groups before and after the erase have one each.
    #expect(sample.logSyncs == 3)
  }

  @Test func `are all there after a compaction that waits for them`() throws {
    let sample = try GroupSample(waiting: 2)
    let compaction = WorkAside()
    let last = sample.newItem("3") { compaction.begin { try sample.store.compact() } }
    let results = sample.save([sample.newItem("1"), sample.newItem("2"), last])
    try compaction.end()
    #expect(try results.map { try $0.get().version } == [2, 3, 4])
    #expect(try sample.titlesAfterKill() == ["before", "1", "2", "3"])
    #expect(try sample.store.verify() == [])
    #expect(try sample.store.apply(sample.newItem("4")).version == 5)
  }

  @Test func `are all there after the compaction by another process for which they wait`() throws {
    let sample = try GroupSample(waiting: 3)
    let other = try SQLiteStore.inFile(sample.folder.path("a.db"))
    let saves = (1...3).map { sample.newItem("\($0)") }
    let results = try sample.save(saves) { try other.compact() }
    #expect(try results.map { try $0.get().version } == [2, 3, 4])
    // One is that of the header of the log, which the compaction emptied.
    #expect(sample.logSyncs <= 2)
    #expect(try sample.titles(other) == ["before", "1", "2", "3"])
    #expect(try sample.titlesAfterKill() == ["before", "1", "2", "3"])
  }

  @Test func `refuse a compaction by another process, and survive a checkpoint`() throws {
    let sample = try GroupSample(waiting: 2)
    let path = sample.folder.path("a.db")
    let other = try SQLiteStore.inFile(path, busyTimeout: 0.01)
    let last = sample.newItem("3") {
      #expect(throws: DataStoreError.storeBusy) { try other.compact() }
      // A program that knows SQLite alone does not see the store's lock.
      #expect(throws: Never.self) {
        try OtherProgram.run(path, "PRAGMA wal_checkpoint(TRUNCATE)")
      }
    }
    let results = sample.save([sample.newItem("1"), sample.newItem("2"), last])
    #expect(try results.map { try $0.get().version } == [2, 3, 4])
    #expect(try sample.titlesAfterKill() == ["before", "1", "2", "3"])
    try other.compact()
    #expect(try sample.titles(other) == ["before", "1", "2", "3"])
    #expect(try other.verify() == [])
  }

  @Test func `are each refused after another program migrated the store`() throws {
    let sample = try GroupSample(waiting: 4)
    let path = sample.folder.path("a.db")
    let extra = StoreEntity(name: "Extra", properties: [SampleSchema.attribute("a", .string)])
    let schema = StoreSchema(entities: SampleSchema.store.entities + [extra])
    let saves = (1...4).map { sample.newItem("\($0)") }
    let results = try sample.save(saves) { _ = try SQLiteStore.inFile(path, schema) }
    #expect(results.count == 4)
    for result in results {
      #expect(throws: DataStoreError.schemaMismatch) { try result.get() }
    }
    #expect(throws: DataStoreError.schemaMismatch) { try sample.store.apply(saves[0]) }
    #expect(throws: DataStoreError.schemaMismatch) { try sample.titles(sample.store) }
    let migrated = try SQLiteStore.inFile(path, schema)
    #expect(try sample.titles(migrated) == ["before"])
    #expect(try migrated.verify() == [])
  }

  @Test func `are completed by a close that begins while they wait`() throws {
    let sample = try GroupSample(waiting: 4)
    let closing = WorkAside()
    let second = sample.newItem("1") {
      closing.begin { try sample.store.close() }
      // From then on, the store refuses other requests.
      while (try? sample.store.count(StoreQuery(entity: "Item"))) != nil { sched_yield() }
    }
    let saves = [sample.newItem("0"), second, nil, sample.newItem("3"), sample.newItem("4")]
    let results = sample.run(saves.count) { index -> Int64 in
      if let changes = saves[index] { return try sample.store.apply(changes).version }
      try sample.store.withWritableConnection {
        try $0.execute("INSERT INTO Item(_key, title) VALUES (?, 'own')", .integer($0.newKey()))
      }
      return 4
    }
    #expect(try results.map { try $0.get() } == [2, 3, 4, 5, 6])
    try closing.end()
    #expect(throws: DataStoreError.storeClosed) { try sample.store.apply(sample.newItem("5")) }
    #expect(try sample.titlesAfterKill() == ["before", "0", "1", "own", "3", "4"])
  }

  /// What another program does to the files.
  enum Loss: CaseIterable {
    case removed, replaced, logRemoved, folderMoved

    func happen(to folder: TemporaryFolder) throws {
      let manager = FileManager.default
      switch self {
      case .removed: try manager.removeItem(atPath: folder.path("a.db"))
      case .replaced:
        let other = folder.path("other.db")
        do { try OpenSample.save(.inFile(other), "other") }
        #expect(rename(other, folder.path("a.db")) == 0)
        for suffix in ["-wal", "-shm"] {
          try manager.removeItem(atPath: folder.path("a.db") + suffix)
        }
      case .logRemoved: try manager.removeItem(atPath: folder.path("a.db-wal"))
      case .folderMoved:
        try manager.moveItem(atPath: folder.url.path, toPath: folder.url.path + "-away")
      }
    }

    /// Checks that no save is in the files, and that the store goes on where it can.
    func check(_ sample: GroupSample) throws {
      let (manager, folder) = (FileManager.default, sample.folder)
      switch self {
      case .removed: #expect(!manager.fileExists(atPath: folder.path("a.db")))
      case .replaced: #expect(try sample.titlesAfterKill() == ["other"])
      case .logRemoved: #expect(try sample.titlesAfterKill() == ["before"])
      case .folderMoved:
        try manager.moveItem(atPath: folder.url.path + "-away", toPath: folder.url.path)
        #expect(try sample.titlesAfterKill() == ["before"])
        #expect(try sample.store.apply(sample.newItem("again")).version == 2)
        return
      }
      #expect(throws: DataStoreError.storeReplaced) {
        try sample.store.apply(sample.newItem("late"))
      }
    }
  }

  @Test(arguments: Loss.allCases)
  func `are each refused if the files were replaced while they waited`(_ loss: Loss) throws {
    let sample = try GroupSample(waiting: 3)
    let saves = [sample.newItem("1"), sample.staleChange(), sample.newItem("2")]
    let results = try sample.save(saves) { try loss.happen(to: sample.folder) }
    #expect(results.count == 3)
    for result in results {
      #expect(throws: DataStoreError.storeReplaced) { try result.get() }
    }
    try loss.check(sample)
  }

  /// The check of the files before the first save is not one for those that come later.
  @Test(arguments: Loss.allCases)
  func `do not succeed if they come after the files were replaced`(_ loss: Loss) throws {
    let sample = try GroupSample(waiting: 1)
    let saves = [sample.newItem("1"), sample.newItem("2")]
    let results = sample.run(2) { index in
      if index == 1 { try loss.happen(to: sample.folder) }
      return try sample.store.apply(saves[index])
    }
    #expect(results.count == 2)
    for result in results {
      #expect(throws: DataStoreError.storeReplaced) { try result.get() }
    }
    try loss.check(sample)
  }
}
