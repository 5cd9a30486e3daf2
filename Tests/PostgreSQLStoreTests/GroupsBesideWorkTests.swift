import Foundation
import PostgreSQLStore
import PostgreSQLTestSupport
import StoreProtocol
import StoreTestSupport
import Synchronization
import Testing

/// Saves that wait for each other while the store is erased, migrated, closed or replaced.
@Suite(
  .enabled(
    if: PrivateCluster.isAvailable || PrivateCluster.isRequired,
    "no PostgreSQL server is installed"
  ),
  .timeLimit(.minutes(30))
)
struct `Saves of one PostgreSQL transaction beside other work` {
  /// When something happens to the store: before the group's transaction, or before its commit.
  enum Moment: CaseIterable { case before, during }

  /// Saves three rows, and does something to the store while they wait.
  private func save(
    _ sample: GroupSample,
    _ moment: Moment,
    _ work: @escaping @Sendable () throws -> Void
  ) throws -> [Result<StoreChangesResult, any Error>] {
    switch moment {
    case .before: return try sample.save((1...3).map { sample.newMark("\($0)") }, after: work)
    case .during:
      return sample.save(sample.newMarks { #expect(throws: Never.self) { try work() } })
    }
  }

  private static func waiting(_ moment: Moment) -> Int { moment == .before ? 3 : 2 }

  @Test(arguments: Moment.allCases, [true, false])
  func `are stored after an erase that comes before their commit`(
    _ moment: Moment,
    byOther: Bool
  ) throws {
    try GroupSample.with(waiting: Self.waiting(moment)) { sample in
      let eraser = byOther ? try PostgreSQLStore(sample.store.configuration) : sample.store
      let results = try save(sample, moment) { try eraser.erase() }
      // The erase is the second save of the store.
      #expect(try results.map { try $0.get().version } == [3, 4, 5])
      #expect(try sample.names() == ["1", "2", "3"])
      #expect(try sample.store.transactions(StoreHistoryQuery()).map(\.number) == [3, 4, 5])
      #expect(try sample.transactions(after: 2) == 1)
    }
  }

  @Test(arguments: Moment.allCases)
  func `are each refused after another program migrated the store`(_ moment: Moment) throws {
    try GroupSample.with(waiting: Self.waiting(moment)) { sample in
      var configuration = sample.store.configuration
      let extra = StoreEntity(
        name: "Extra",
        properties: [StoreProperty(name: "a", kind: .attribute(.string), isOptional: true)]
      )
      let entities = sample.store.schema.storeSchema.entities + [extra]
      configuration.schema = Schema(storeSchema: StoreSchema(entities: entities))
      let migrated = configuration
      let results = try save(sample, moment) { _ = try PostgreSQLStore(migrated) }
      #expect(results.count == 3)
      for result in results {
        #expect(throws: DataStoreError.schemaMismatch) { try result.get() }
      }
      #expect(throws: DataStoreError.schemaMismatch) {
        try sample.store.apply(sample.newMark("late"))
      }
      #expect(try PostgreSQLStore(migrated).fetch(StoreQuery(entity: "Mark")).isEmpty)
    }
  }

  @Test func `are completed by a close that begins while they are made`() throws {
    try GroupSample.with(waiting: 2) { sample in
      let closing = WorkAside()
      let saves = sample.newMarks {
        closing.begin { try sample.store.close() }
        // From then on, the store refuses other requests.
        while (try? sample.store.count(StoreQuery(entity: "Mark"))) != nil { sched_yield() }
      }
      #expect(try sample.save(saves).map { try $0.get().version } == [2, 3, 4])
      try closing.end()
      #expect(throws: DataStoreError.storeClosed) {
        try sample.store.apply(sample.newMark("late"))
      }
      let again = try PostgreSQLStore(sample.store.configuration)
      #expect(try again.count(StoreQuery(entity: "Mark")) == 3)
    }
  }

  @Test func `are each refused after the close for which they wait`() throws {
    try GroupSample.with(waiting: 3) { sample in
      for result in try save(sample, .before, { try sample.store.close() }) {
        #expect(throws: DataStoreError.storeClosed) { try result.get() }
      }
      let again = try PostgreSQLStore(sample.store.configuration)
      #expect(try again.count(StoreQuery(entity: "Mark")) == 0)
    }
  }

  @Test(arguments: Moment.allCases, [true, false])
  func `are each refused after the store was removed`(_ moment: Moment, isReplaced: Bool) throws {
    try GroupSample.with(waiting: Self.waiting(moment)) { sample in
      let configuration = sample.store.configuration
      let results = try save(sample, moment) {
        try PostgreSQLStore.remove(configuration)
        if isReplaced { _ = try PostgreSQLStore(configuration).apply(StoreChanges()) }
      }
      #expect(results.count == 3)
      for result in results {
        let error = #expect(throws: DataStoreError.self) { try result.get() }
        #expect(error == (isReplaced ? .storeReplaced : .storeDamaged))
      }
      let again = try PostgreSQLStore(configuration)
      #expect(try again.count(StoreQuery(entity: "Mark")) == 0)
      #expect(try again.apply(StoreChanges()).version == (isReplaced ? 2 : 1))
    }
  }

  @Test func `are refused in a child that the process forks, which ends`() throws {
    try GroupSample.with(waiting: 2) { sample in
      let saves = sample.newMarks {
        // The child has no thread that waits.
        let numbers = try? ForkedChild.numbers(1) {
          ForkedProcess.accepted([
            { _ = try sample.store.apply(StoreChanges()) },
            { _ = try sample.store.count(StoreQuery(entity: "Mark")) },
          ]) {
            try sample.store.close()
          }
        }
        #expect(numbers == [0])
      }
      let versions = try sample.save(saves).map { try $0.get().version }
      #expect(versions == [2, 3, 4])
      #expect(try sample.names() == ["1", "2", "3"])
    }
  }

  /// How a connection is lost at a request or response with a number.
  enum Loss: CaseIterable {
    case beforeRequest, afterRequest, response

    var direction: FaultProxy.Direction { self == .response ? .toClient : .toServer }
    var action: FaultProxy.Action { self == .afterRequest ? .passAndCut : .cut }
  }

  @Test(arguments: Loss.allCases, [0, 1])
  func `are stored or not, as each of them says, if their connection is lost`(
    _ loss: Loss,
    at number: Int
  ) throws {
    let proxy = try FaultProxy(PrivateCluster.shared())
    defer { proxy.stop() }
    try GroupSample.with(folder: proxy.folder.path, waiting: 3) { sample in
      _ = try sample.store.apply(sample.newBeacon("a", height: 1))
      // The row that is deleted is read first, so that the group takes several requests.
      let saves = [
        sample.newMark("0"), sample.newMark("1"), sample.deletion(), sample.newMark("3"),
      ]
      let passed = Mutex(0)
      proxy.set { direction, _ in
        guard direction == loss.direction else { return .pass }
        return passed.withLock { passed in
          defer { passed += 1 }
          return passed == number ? loss.action : .pass
        }
      }
      let results = sample.save(saves)
      proxy.set { _, _ in .pass }
      #expect(passed.withLock { $0 } > number)
      let names = try sample.names()
      let isDeleted = try sample.store.count(StoreQuery(entity: "Beacon")) == 0
      var versions: [Int64] = []
      for (index, result) in results.enumerated() {
        let isStored = index == 2 ? isDeleted : names.contains("\(index)")
        let saved = try saved(result, saves[index], sample)
        #expect((saved != nil) == isStored, "\(index): \(result)")
        if let saved { versions.append(saved.version) }
      }
      #expect(versions == versions.sorted())
      let history = try sample.store.transactions(StoreHistoryQuery()).map(\.number)
      #expect(history == [2] + versions)
    }
  }

  /// Returns the result of a save that is stored, by its own account or that of the store.
  private func saved(
    _ result: Result<StoreChangesResult, any Error>,
    _ changes: StoreChanges,
    _ sample: GroupSample
  ) throws -> StoreChangesResult? {
    switch result {
    case .success(let saved): return saved
    case .failure(DataStoreError.notSaved): return nil
    case .failure(let error):
      #expect((error as? DataStoreError) == .outcomeUnknown, "\(error)")
      if case .saved(let saved) = try sample.store.outcome(ofSave: changes.saveIdentifier) {
        return saved
      }
      return nil
    }
  }
}
