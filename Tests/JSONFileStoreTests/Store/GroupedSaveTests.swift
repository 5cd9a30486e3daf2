import Foundation
import StoreFiles
import StoreProtocol
import StoreTestSupport
import Testing

@testable import JSONFileStore

@Suite("Saves of a JSON store that are written together", .timeLimit(.minutes(30)))
struct GroupedSaveTests {
  @Test func `are durable with one sync, with numbers in the order of their arrival`() throws {
    let sample = try GroupSample(waiting: 63)
    let results = sample.save((1...64).map { sample.newItem($0) })
    #expect(try results.map { try $0.get().version } == Array(3...66))
    #expect(sample.syncs == 1)
    #expect(try sample.numbersAfterKill() == Array(0...64))
    let history = try sample.store.transactions(StoreHistoryQuery())
    #expect(history.map(\.number) == Array(2...66))
  }

  @Test func `leave each other alone if one fails, and see those before them`() throws {
    let sample = try GroupSample(waiting: 4)
    var refused = StoreChanges(inserted: [newRow(["name": .string("2")])])
    refused.requiresNew = true
    let merged = StoreChanges(
      inserted: [newRow(["name": .string("3"), "number": .integer(33)])]
    )
    let results = sample.save([
      sample.newItem(1), sample.newItem(2), refused, sample.newItem(3), merged,
    ])
    #expect(results.map { try? $0.get().version } == [3, 4, nil, 5, 6])
    #expect(throws: DataStoreError.uniqueConflict) { try results[2].get() }
    #expect(try results[4].get().merged.count == 1)
    #expect(sample.syncs == 1)
    #expect(try sample.numbersAfterKill() == [0, 1, 2, 33])
  }

  @Test func `fail alone if their record cannot be written`() throws {
    let sample = try GroupSample(waiting: 3)
    let access = sample.access
    let saves = [
      sample.newItem(1), sample.newItem(2),
      sample.newItem(3) { access.reset(.once(call: 0, code: ENOSPC)) }, sample.newItem(4),
    ]
    let results = sample.save(saves)
    #expect(results.map { try? $0.get().version } == [3, 4, nil, 5])
    #expect(throws: DataStoreError.notSaved) { try results[2].get() }
    #expect(try sample.numbers(sample.store) == [0, 1, 2, 4])
    #expect(try sample.numbersAfterKill() == [0, 1, 2, 4])
  }

  @Test func `are written as a document if they cannot be synced`() throws {
    let sample = try GroupSample(waiting: 3)
    let access = sample.access
    let last = sample.newItem(4) { access.reset(.once(call: 3, code: EIO)) }
    let results = sample.save([sample.newItem(1), sample.newItem(2), sample.newItem(3), last])
    #expect(try results.map { try $0.get().version } == [3, 4, 5, 6])
    // After the write of the record and a check of the files, its sync failed.
    #expect(access.calls.prefix(4) == [.write, .status, .status, .sync])
    #expect(try sample.fixture.names == ["items.json"])
    #expect(try sample.numbersAfterKill() == [0, 1, 2, 3, 4])
  }

  @Test func `have an unknown outcome while they can be written nowhere`() throws {
    let sample = try GroupSample(waiting: 3)
    let access = sample.access
    var refused = sample.newItem(3)
    refused.expectedVersions = [
      PersistentIdentifier(
        scope: .init(storeIdentifier: sample.store.identifier, entityName: "Item"),
        key: .integer(77)
      ): 1
    ]
    let last = sample.newItem(4) { access.reset(.from(call: 1, code: EIO)) }
    let saves = [sample.newItem(1), sample.newItem(2), refused, last]
    let results = sample.save(saves)
    #expect(throws: DataStoreError.conflict) { try results[2].get() }
    for index in [0, 1, 3] {
      #expect(throws: DataStoreError.outcomeUnknown) { try results[index].get() }
      #expect(throws: DataStoreError.outcomeUnknown) {
        try sample.store.outcome(ofSave: saves[index].saveIdentifier)
      }
    }
    #expect(throws: DataStoreError.outcomeUnknown) { try sample.store.all() }
    #expect(throws: DataStoreError.notSaved) { try sample.store.insert(newRow([:])) }
    access.reset()
    #expect(try sample.numbers(sample.store) == [0, 1, 2, 4])
    guard case .saved(let result) = try sample.store.outcome(ofSave: saves[3].saveIdentifier) else {
      Issue.record("the save must be reported as stored")
      return
    }
    #expect(result.version == 5)
    // A save that is stored is not made again.
    #expect(try sample.store.apply(saves[1]).version == 4)
    #expect(try sample.numbersAfterKill() == [0, 1, 2, 4])
  }

  @Test func `are remembered after an unknown outcome, the newest of them`() {
    let most = UnresolvedFailure.mostRemembered
    var recovered: [UUID: StoreChangesResult] = [:]
    for first in stride(from: 0, to: most * 2, by: 100) {
      var failure = UnresolvedFailure(save: nil)
      for number in first..<first + 100 {
        failure.group[UUID()] = StoreChangesResult(version: Int64(number))
      }
      recovered = failure.recovered(after: recovered)
      let kept = max(0, first + 100 - most)..<first + 100
      #expect(recovered.values.map(\.version).sorted() == kept.map { Int64($0) })
    }
  }

  @Test(arguments: 0..<6)
  func `are there as a whole after a kill, or not at all, in their order`(call: Int) async throws {
    let fixture = try StoreFixture()
    let path = fixture.folder.path
    await #expect(processExitsWith: .signal(SIGKILL)) {
      [path = path as String, call = call as Int] in
      let sample = try GroupSample(waiting: 2, in: StoreFixture(in: URL(filePath: path)))
      let access = sample.access
      // The calls are the writes of three records, a check of the files, and their sync.
      let first = sample.newItem(1) { access.reset(.killing(call: call)) }
      _ = sample.save([first, sample.newItem(2), sample.newItem(3)])
    }
    let numbers = try fixture.open().all().map { $0["number"] }
    #expect(numbers == (0...Int64(min(call, 3))).map { .integer($0) })
  }

  @Test(arguments: 0..<10)
  func `are stored or not, each as a whole, whatever call fails`(call: Int) throws {
    for isLasting in [false, true] {
      let sample = try GroupSample(waiting: 3)
      let access = sample.access
      let second = sample.newItem(2) {
        access.reset(isLasting ? .from(call: call, code: EIO) : .once(call: call, code: EIO))
      }
      let saves = [sample.newItem(1), second, sample.newItem(3), sample.newItem(4)]
      let results = sample.save(saves)
      access.reset()
      let found = try sample.numbers(sample.store)
      for (index, result) in results.enumerated() {
        let isFound = found.contains(Int64(index + 1))
        switch result {
        case .success: #expect(isFound)
        case .failure(DataStoreError.notSaved): #expect(!isFound)
        case .failure:
          guard case .saved = try sample.store.outcome(ofSave: saves[index].saveIdentifier) else {
            #expect(!isFound)
            continue
          }
          #expect(isFound)
        }
      }
      #expect(try sample.numbersAfterKill() == found)
    }
  }
}
