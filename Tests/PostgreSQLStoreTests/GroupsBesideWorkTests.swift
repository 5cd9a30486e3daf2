import Foundation
import PostgreSQLStore
import PostgreSQLTestSupport
import StoreProtocol
import StoreTestSupport
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
}
