import Foundation
import PostgreSQLClient
import PostgreSQLTestSupport
import StoreHelpers
import StoreProtocol
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
