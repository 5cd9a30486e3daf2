import Foundation
import StoreFiles
import StoreProtocol
import StoreTestSupport
import Testing

@testable import JSONFileStore

/// Saves that wait for each other while the store is erased, compacted, migrated, closed or replaced.
@Suite(
  "Saves of a JSON store that are written together, beside other work",
  .timeLimit(.minutes(30))
)
struct GroupsBesideWorkTests {
  private func expect(
    _ code: DataStoreError,
    of results: [Result<StoreChangesResult, any Error>]
  ) {
    #expect(results.count == 3)
    for result in results { #expect(throws: code) { try result.get() } }
  }

  private func newItems(_ sample: GroupSample) -> [StoreChanges] {
    (1...3).map { sample.newItem($0) }
  }

  @Test func `are stored after the erase for which they wait`() throws {
    let sample = try GroupSample(waiting: 3)
    let results = try sample.save(newItems(sample)) {
      try sample.store.erase()
      sample.access.reset()
    }
    #expect(try results.map { try $0.get().version } == [4, 5, 6])
    #expect(sample.syncs == 1)
    #expect(try sample.numbersAfterKill() == [1, 2, 3])
    #expect(try sample.store.transactions(StoreHistoryQuery()).map(\.number) == [4, 5, 6])
  }

  @Test func `are stored before the erase that waits for them`() throws {
    let sample = try GroupSample(waiting: 2)
    let erase = WorkAside()
    let last = sample.newItem(3) { erase.begin { try sample.store.erase() } }
    let results = sample.save([sample.newItem(1), sample.newItem(2), last])
    try erase.end()
    #expect(try results.map { try $0.get().version } == [3, 4, 5])
    #expect(try sample.numbersAfterKill() == [])
    #expect(try sample.store.apply(sample.newItem(4)).version == 7)
  }

  @Test(arguments: [true, false])
  func `are all there after a compaction`(waits: Bool) throws {
    let sample = try GroupSample(waiting: 3)
    let compaction = WorkAside()
    if waits {
      let last = sample.newItem(4) { compaction.begin { try sample.store.compact() } }
      let results = sample.save(newItems(sample) + [last])
      try compaction.end()
      #expect(try results.map { try $0.get().version } == [3, 4, 5, 6])
      #expect(try sample.fixture.names == ["items.json"])
    } else {
      let results = try sample.save(newItems(sample)) { try sample.store.compact() }
      #expect(try results.map { try $0.get().version } == [3, 4, 5])
      #expect(try sample.fixture.names == ["items.json", "items.json.journal"])
    }
    #expect(try sample.numbersAfterKill() == (waits ? [0, 1, 2, 3, 4] : [0, 1, 2, 3]))
    #expect(try sample.store.verify() == [])
  }

  @Test(arguments: [true, false])
  func `are kept by a background checkpoint that lacks them`(isWritten: Bool) throws {
    let sample = try GroupSample(waiting: 2)
    let core = sample.store.core
    let checkpoint = try #require(core.inner.withLock { core.beginCheckpoint(&$0) })
    let early = isWritten ? checkpoint.write() : nil
    let end = WorkAside()
    let last = sample.newItem(3) {
      end.begin { core.finish(checkpoint, early ?? checkpoint.write()) }
    }
    let results = sample.save([sample.newItem(1), sample.newItem(2), last])
    try end.end()
    #expect(try results.map { try $0.get().version } == [3, 4, 5])
    #expect(try sample.numbersAfterKill() == [0, 1, 2, 3])
    #expect(try sample.fixture.names == ["items.json", "items.json.journal"])
  }

  /// The record of one of the saves is the first for which the journal has no room.
  @Test(arguments: [500, 700, 900, 1_100, 1_300])
  func `are written as a document when the journal is full, whatever call fails`(
    journalLimit: Int
  ) throws {
    func newItems(_ sample: GroupSample, _ fault: FaultyFileAccess.Fault) -> [StoreChanges] {
      // All wait by then.
      let first = sample.newItem(1) { sample.access.reset(fault) }
      return [first] + (2...4).map { sample.newItem($0) }
    }
    let plain = try GroupSample(waiting: 3, journalLimit: journalLimit)
    let results = plain.save(newItems(plain, .none))
    #expect(try results.map { try $0.get().version } == [3, 4, 5, 6])
    #expect(try plain.numbersAfterKill() == [0, 1, 2, 3, 4])
    for call in 0..<plain.access.calls.count {
      for fault in [
        FaultyFileAccess.Fault.once(call: call, code: EIO), .from(call: call, code: EIO),
      ] {
        let sample = try GroupSample(waiting: 3, journalLimit: journalLimit)
        let saves = newItems(sample, fault)
        let results = sample.save(saves)
        sample.access.reset()
        // After a failure that lasts, the first request writes the rows in memory.
        let found = try sample.numbers(sample.store)
        for (index, result) in results.enumerated() {
          let isFound = found.contains(Int64(index + 1))
          switch result {
          case .success: #expect(isFound, "\(fault)")
          case .failure(DataStoreError.outcomeUnknown):
            switch try sample.store.outcome(ofSave: saves[index].saveIdentifier) {
            case .saved: #expect(isFound, "\(fault)")
            case .notSaved: #expect(!isFound, "\(fault)")
            }
          case .failure: #expect(!isFound, "\(fault)")
          }
        }
        #expect(try sample.numbersAfterKill() == found, "\(fault)")
      }
    }
  }

  @Test func `are each refused after a migration closed the store`() throws {
    let sample = try GroupSample(waiting: 3)
    let results = try sample.save(newItems(sample)) {
      let configuration = sample.fixture.configuration()
      let migration = try #require(try JSONFileStore.beginMigration(of: configuration))
      let change = StructureChange(to: StoreFixture.storeSchema)
      _ = try migration.changeStructure(through: [change], progress: { _, _ in })
      migration.end()
    }
    expect(.storeClosed, of: results)
    #expect(try sample.numbersAfterKill() == [0])
  }

  @Test func `are each refused after the close for which they wait`() throws {
    let sample = try GroupSample(waiting: 3)
    let results = try sample.save(newItems(sample)) { try sample.store.close() }
    expect(.storeClosed, of: results)
    #expect(try sample.fixture.names == ["items.json"])
    #expect(try sample.numbersAfterKill() == [0])
  }

  @Test func `are completed before the close that waits for them`() throws {
    let sample = try GroupSample(waiting: 2)
    let closing = WorkAside()
    let last = sample.newItem(3) { closing.begin { try sample.store.close() } }
    let results = sample.save([sample.newItem(1), sample.newItem(2), last])
    try closing.end()
    #expect(try results.map { try $0.get().version } == [3, 4, 5])
    #expect(throws: DataStoreError.storeClosed) { try sample.store.apply(sample.newItem(4)) }
    #expect(try sample.fixture.names == ["items.json"])
    #expect(try sample.numbersAfterKill() == [0, 1, 2, 3])
  }

  /// What another program does to the files.
  enum Loss: CaseIterable {
    case removed, replaced, journalRemoved, folderMoved

    func happen(to fixture: StoreFixture) throws {
      let manager = FileManager.default
      switch self {
      case .removed: try manager.removeItem(at: fixture.url)
      case .replaced: try Data("mine".utf8).write(to: fixture.url, options: .atomic)
      case .journalRemoved: try manager.removeItem(at: fixture.journal)
      case .folderMoved: try manager.moveItem(at: fixture.folder, to: Self.away(fixture))
      }
    }

    static func away(_ fixture: StoreFixture) -> URL {
      URL(filePath: fixture.folder.path + "-away")
    }
  }

  @Test(arguments: Loss.allCases)
  func `are each refused if the files were replaced while they waited`(_ loss: Loss) throws {
    let sample = try GroupSample(waiting: 3)
    let results = try sample.save(newItems(sample)) { try loss.happen(to: sample.fixture) }
    expect(.storeReplaced, of: results)
    #expect(try sample.numbers(sample.store) == [0])
    guard loss == .folderMoved else { return }
    try FileManager.default.moveItem(at: Loss.away(sample.fixture), to: sample.fixture.folder)
    #expect(try sample.store.apply(sample.newItem(1)).version == 3)
    #expect(try sample.numbersAfterKill() == [0, 1])
  }

  /// The check of the files before the first save is not one for those that come later.
  @Test(arguments: Loss.allCases)
  func `have an unknown outcome if they come after the files were replaced`(_ loss: Loss) throws {
    let sample = try GroupSample(waiting: 1)
    let saves = [sample.newItem(1), sample.newItem(2)]
    let results = sample.run(2) { index in
      if index == 1 { try loss.happen(to: sample.fixture) }
      return try sample.store.apply(saves[index])
    }
    #expect(results.count == 2)
    for result in results {
      #expect(throws: DataStoreError.outcomeUnknown) { try result.get() }
    }
    #expect(throws: DataStoreError.storeReplaced) { try sample.store.insert(newRow([:])) }
    guard loss == .folderMoved else { return }
    try FileManager.default.moveItem(at: Loss.away(sample.fixture), to: sample.fixture.folder)
    for (index, save) in saves.enumerated() {
      guard case .saved(let result) = try sample.store.outcome(ofSave: save.saveIdentifier) else {
        Issue.record("the save must be reported as stored")
        continue
      }
      #expect(result.version == Int64(index) + 3)
    }
    #expect(try sample.numbersAfterKill() == [0, 1, 2])
  }
}
