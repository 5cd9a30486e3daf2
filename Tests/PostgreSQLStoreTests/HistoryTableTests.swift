import Foundation
import PostgreSQLClient
import PostgreSQLTestSupport
import StoreHelpers
import StoreProtocol
import Synchronization
import Testing

@testable import PostgreSQLStore

/// The tables of the history when other programs, or an administrator, change them.
@Suite(
  .enabled(
    if: PrivateCluster.isAvailable || PrivateCluster.isRequired,
    "no PostgreSQL server is installed"
  ),
  .timeLimit(.minutes(30))
)
struct `History tables in PostgreSQL` {
  private let schema = Schema(
    storeSchema: StoreSchema(entities: [
      StoreEntity(
        name: "Trip",
        properties: [StoreProperty(name: "name", kind: .attribute(.string), isOptional: true)]
      )
    ])
  )

  private func withStore(_ body: (PostgreSQLStore) throws -> Void) throws {
    let fixture = SchemaFixture()
    let location = try fixture.makeLocation()
    defer { try? fixture.destroy(location) }
    let store = try fixture.open(location, schema: schema)
    for _ in 0..<4 {
      let row = DefaultSnapshot(
        persistentIdentifier: PersistentIdentifier(
          scope: .init(storeIdentifier: nil, entityName: "Trip"),
          key: .temporary(PersistentIdentifier.nextTemporaryNumber())
        ),
        names: PropertyNames(["name"]),
        values: [.string("a")]
      )
      _ = try store.apply(StoreChanges(inserted: [row]))
    }
    try body(store)
  }

  @Test func `a deletion from the history stays beside a save that deletes less`() throws {
    try withStore { store in
      let last = try #require(try store.transactions(StoreHistoryQuery()).last)
      // Each 16th save deletes expired transactions. It reads the oldest without a lock.
      let record = HistoryRecord(
        number: 17,
        save: UUID(),
        author: nil,
        origin: .program,
        groups: []
      )
      let statements = try store.session.read { connection in
        try StoredHistory(store.map, connection)
          .prune(HistoryRetention(count: 16), adding: record, readers: [])
      }
      #expect(!statements.isEmpty)
      try store.deleteTransactions(nil)
      let bounds = try store.historyBounds()
      #expect(bounds.cut == 4 && bounds.cutSave == last.saveIdentifier)
      try store.session.write { try $0.commit(statements) }
      #expect(try store.historyBounds() == bounds)
    }
  }

  /// Checks the limits of a history of 20,000 transactions and more, and returns the number of the first
  /// one that is kept and the most transactions that were read.
  private func prune(
    _ retention: HistoryRetention,
    of store: PostgreSQLStore,
    savingNumber number: Int64
  ) throws -> (first: Int64?, read: [Int]) {
    let space = store.session.space
    let columns = "save, at, stored_at, author, origin, bundle, process, size, groups"
    try store.administrate(
      "INSERT INTO \(space)._history (number, \(columns)) SELECT n, \(columns) "
        + "FROM \(space)._history, generate_series(5, \(number - 1)) AS n WHERE number = 4"
    )
    let record = HistoryRecord(
      number: number,
      save: UUID(),
      author: nil,
      origin: .program,
      groups: []
    )
    let limits = Mutex<[Int]>([])
    let observer = StatementObserver { sql in
      let limit = sql.firstMatch(of: /LIMIT ([0-9]+)/).flatMap { Int($0.1) }
      limits.withLock { $0 += limit.map { [$0] } ?? [] }
      return { _ in }
    }
    try store.session.write { connection in
      let statements = try StatementObserver.observing(observer) {
        try StoredHistory(store.map, connection).prune(retention, adding: record, readers: [])
      }
      try connection.commit(statements)
    }
    return (
      try store.administrate("SELECT min(number) FROM \(space)._history"), limits.withLock { $0 }
    )
  }

  @Test func `a save reads no more expired transactions than came since the last check`() throws {
    try withStore { store in
      let result = try prune(.standard, of: store, savingNumber: 20_017)
      #expect(result.first == 18)
      #expect(result.read == [32])
    }
  }

  @Test func `a history that is too large loses more than saves add until the next check`() throws {
    try withStore { store in
      // The size is checked once in 19 * 16 saves, after which up to 19 * 256 go.
      let result = try prune(HistoryRetention(size: 1), of: store, savingNumber: 20_065)
      #expect(result.first == 4_865)
      #expect(result.read == [32, 4_864])
    }
  }

  @Test(arguments: [
    "_history SET size = 9223372036854775807", "_history SET size = -1",
    "_history SET number = 9223372036854775807 WHERE number = 4",
    "_meta SET history_cut = 9223372036854775807", "_meta SET history_cut = -1",
    "_meta SET last_save = 9223372036854775807",
  ])
  func `extreme numbers in the history are damage and end no program`(_ change: String) throws {
    try withStore { store in
      let space = store.session.space
      try store.session.write { try $0.run(Statement("UPDATE \(space).\(change)")) }
      let damaged = try PostgreSQLStore(store.configuration)
      #expect(throws: DataStoreError.storeDamaged) {
        _ = try damaged.transactions(StoreHistoryQuery())
        _ = try damaged.historyBounds()
      }
      #expect(try damaged.count(StoreQuery(entity: "Trip")) == 4)
      // What a save does with them must not end the program either.
      _ = try? damaged.apply(StoreChanges())
    }
  }

  @Test(arguments: [
    ("next_key = -9223372036854775808", DataStoreError.storeDamaged),
    ("next_key = 9223372036854775807", .notSaved),
    ("last_save = -9223372036854775808", .storeDamaged),
    ("last_save = 9223372036854775806", .notSaved),
  ])
  func `extreme counters are errors of a save, and end no program`(
    _ change: String,
    _ expected: DataStoreError
  ) throws {
    try withStore { store in
      let space = store.session.space
      try store.session.write { try $0.run(Statement("UPDATE \(space)._meta SET \(change)")) }
      let damaged = try PostgreSQLStore(store.configuration)
      #expect(throws: expected) { _ = try damaged.apply(StoreChanges()) }
      #expect(try damaged.count(StoreQuery(entity: "Trip")) == 4)
    }
  }

  @Test(arguments: ["'x'", "'{}'", "''"])
  func `an unreadable schema is unknown`(_ schema: String) throws {
    try withStore { store in
      let space = store.session.space
      try store.session.write {
        try $0.run(Statement("UPDATE \(space)._meta SET schema = \(schema)"))
      }
      do {
        _ = try PostgreSQLStore(store.configuration)
        Issue.record("opened")
      } catch SwiftDataError.unknownDataStoreSchema {
        #expect(throws: DataStoreError.storeDamaged) { try PostgreSQLStore(store.configuration) }
      }
    }
  }
}
