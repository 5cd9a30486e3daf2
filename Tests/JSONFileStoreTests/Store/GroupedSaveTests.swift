import Foundation
import StoreFiles
import StoreProtocol
import StoreTestSupport
import Testing

@testable import JSONFileStore

/// A store whose next save waits until some others wait for it.
private struct GroupSample {
  let fixture: StoreFixture
  let access = FaultyFileAccess()
  let store: JSONFileStore
  let gate: WaitingGate

  init(waiting count: Int, in fixture: StoreFixture? = nil) throws {
    let fixture = try fixture ?? StoreFixture()
    self.fixture = fixture
    store = try fixture.open(access: access)
    gate = WaitingGate(for: count)
    try store.insert(newRow(["name": .string("before"), "number": .integer(0)]))
    access.reset()
  }

  func newItem(
    _ number: Int,
    _ onWrite: @escaping @Sendable () -> Void = {}
  ) -> StoreChanges {
    var changes = StoreChanges()
    let row = WaitingRow(
      [0: .string("\(number)"), 3: .integer(Int64(number))],
      at: gate,
      waiting: { [store] in store.waitingSaves },
      onWrite: onWrite
    )
    let numbers = RowIdentifiers(
      [PersistentIdentifier.nextTemporaryNumber()],
      areTemporary: true,
      in: .init(storeIdentifier: nil, entityName: "Item")
    )
    if let item = StoreFixture.storeSchema.entity(named: "Item") {
      changes.insertions = [RowRun(numbers, of: item, in: nil, from: row)]
    }
    return changes
  }

  /// Saves changes on threads of their own, which arrive in their order while the first save waits.
  func save(_ saves: [StoreChanges]) -> [Result<StoreChangesResult, any Error>] {
    let store = store
    return ArrivingThreads.run(saves.count, at: gate, waiting: { store.waitingSaves }) {
      try store.apply(saves[$0])
    }
  }

  func numbers(_ store: JSONFileStore) throws -> [Int64] {
    try store.all().compactMap {
      if case .integer(let number)? = $0["number"] { number } else { nil }
    }
  }

  /// Returns the numbers that another process finds after a kill of this one.
  func numbersAfterKill() throws -> [Int64] { try numbers(fixture.copy().open()) }

  var syncs: Int { access.calls.count { $0 == .sync } }
}

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
    let last = sample.newItem(4) { access.reset(.once(call: 1, code: EIO)) }
    let results = sample.save([sample.newItem(1), sample.newItem(2), sample.newItem(3), last])
    #expect(try results.map { try $0.get().version } == [3, 4, 5, 6])
    // After the write of the record, its sync failed.
    #expect(access.calls.prefix(2) == [.write, .sync])
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
      var failure = UnresolvedFailure(save: nil, cause: FileError(.sync, path: "", code: EIO))
      for number in first..<first + 100 {
        failure.group[UUID()] = StoreChangesResult(version: Int64(number))
      }
      recovered = failure.recovered(after: recovered)
      let kept = max(0, first + 100 - most)..<first + 100
      #expect(recovered.values.map(\.version).sorted() == kept.map { Int64($0) })
    }
  }

  @Test(arguments: 0..<4)
  func `are there as a whole after a kill, or not at all, in their order`(call: Int) async throws {
    let fixture = try StoreFixture()
    let path = fixture.folder.path
    await #expect(processExitsWith: .signal(SIGKILL)) {
      [path = path as String, call = call as Int] in
      let sample = try GroupSample(waiting: 2, in: StoreFixture(in: URL(filePath: path)))
      let access = sample.access
      // The calls are the writes of three records, and their sync.
      let first = sample.newItem(1) { access.reset(.killing(call: call)) }
      _ = sample.save([first, sample.newItem(2), sample.newItem(3)])
    }
    let numbers = try fixture.open().all().map { $0["number"] }
    #expect(numbers == (0...Int64(call)).map { .integer($0) })
  }

  @Test(arguments: 0..<8)
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
