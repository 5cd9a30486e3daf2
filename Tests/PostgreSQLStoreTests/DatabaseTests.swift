import Foundation
import OpenSwiftData
import PostgreSQLTestSupport
import Synchronization
import Testing

@testable import PostgreSQLClient
@testable import PostgreSQLStore

@Suite(
  .enabled(
    if: PrivateCluster.isAvailable || PrivateCluster.isRequired,
    "no PostgreSQL server is installed"
  )
)
struct `Many stores in one database` {
  private static let first = Schema(versionedSchema: FirstPiers.self)
  private static let second = Schema(versionedSchema: SecondPiers.self)

  /// Runs a body with a database of its own.
  private func withDatabase(
    _ schema: Schema? = first,
    connectionLimit: Int = 4,
    _ body: (PostgreSQLDatabase) throws -> Void
  ) throws {
    try PrivateCluster.shared().withDatabase { connection in
      try body(
        PostgreSQLDatabase(connection, schema: schema, connectionLimit: connectionLimit)
      )
    }
  }

  private func container(
    _ name: String,
    _ database: PostgreSQLDatabase,
    _ schema: Schema = first
  ) throws -> ModelContainer {
    try database.createStore(named: name)
    return try ModelContainer(
      for: schema,
      configurations: [database.configuration(ofStore: name)]
    )
  }

  private func savePier(_ name: String, length: String = "1", in container: ModelContainer) throws {
    let context = ModelContext(container)
    context.insert(FirstPiers.Pier(name: name, length: length))
    try context.save()
  }

  private func run(_ sql: String, _ database: PostgreSQLDatabase) throws {
    try database.pool.withConnection(deadline: .after(.seconds(30))) { connection in
      _ = try connection.run(Statement(sql))
    }
  }

  @Test func `stores share a pool and the map of their schema, and keep their rows apart`() throws {
    try withDatabase { database in
      let names = ["plain", "a\"b", "1 · 2"]
      let containers = try names.map { try container($0, database) }
      for (name, container) in zip(names, containers) {
        try savePier(name, in: container)
        try savePier(name + "!", in: container)
      }
      for (name, container) in zip(names, containers) {
        let order = [SortDescriptor(\FirstPiers.Pier.name)]
        let piers = try ModelContext(container).fetch(FetchDescriptor(sortBy: order))
        #expect(piers.map(\.name) == [name, name + "!"])
      }
      let maps = containers.flatMap(\.stores).compactMap { ($0 as? PostgreSQLStore)?.map.shared }
      #expect(maps.count == 3)
      #expect(maps.allSatisfy { $0 === maps[0] })
      #expect(database.pool.counts.open == 1)
    }
  }

  @Test func `an unknown store is not created by opening it`() throws {
    try withDatabase { database in
      let configuration = try database.configuration(ofStore: "typo")
      #expect(throws: DataStoreError.io) { try PostgreSQLStore(configuration) }
      #expect(try database.stores().isEmpty)
      try database.createStore(named: "typo")
      try database.createStore(named: "typo")
      _ = try PostgreSQLStore(configuration)
    }
  }

  @Test func `a URL of a database names no schema`() {
    #expect(throws: DataStoreError.invalidConfiguration) {
      try PostgreSQLDatabase(url: "postgres://localhost/shop?schema=a")
    }
    #expect(throws: DataStoreError.invalidConfiguration) {
      try PostgreSQLDatabase(url: "postgres://localhost/shop?colour=a")
    }
  }

  @Test func `stores are listed with versions, saves, dates and sizes`() throws {
    try withDatabase { database in
      let start = Date.now
      try savePier("a", in: container("b", database))
      _ = try container("a", database)
      try run("CREATE SCHEMA other; ", database)
      try run("CREATE TABLE other._meta (id int8)", database)
      let stores = try database.stores()
      #expect(stores.map(\.name) == ["a", "b"])
      #expect(stores.map(\.saves) == [0, 1])
      #expect(stores.map(\.schemaVersion) == ["1.0.0", "1.0.0"])
      #expect(stores[0].lastSave == nil)
      #expect(try #require(stores[1].lastSave) >= start)
      #expect(stores.allSatisfy { $0.bytes > 8192 })
      let opened = try PostgreSQLStore(database.configuration(ofStore: "b"))
      #expect(stores[1].identifier == opened.identifier)
    }
  }

  @Test func `a store that is dropped while stores are listed is left out`() throws {
    try withDatabase { database in
      for name in ["a", "c", "d"] { try database.createStore(named: name) }
      let session = Session(database.pool, space: "", timeout: .seconds(30), place: "test")
      let names = ["a", "b", "c", "d"].map { (name: $0, bytes: Int64(1)) }
      let found = try PostgreSQLDatabase.summaries(names[...], session)
      #expect(found.map(\.name) == ["a", "c", "d"])
    }
  }

  @Test func `only a store that is as it was listed is dropped, and nothing else in its schema`()
    throws
  {
    try withDatabase { database in
      let container = try container("a", database)
      let early = try #require(try database.stores().first)
      try savePier("x", in: container)
      #expect(throws: DataStoreError.conflict) { try database.drop(early) }
      let late = try #require(try database.stores().first)
      try run("CREATE VIEW a.seen AS SELECT name FROM a.\"Pier\"", database)
      #expect(throws: DataStoreError.self) { try database.drop(late) }
      #expect(try ModelContext(container).fetchCount(FetchDescriptor<FirstPiers.Pier>()) == 1)
      try run("DROP VIEW a.seen", database)
      try run("CREATE TABLE a.mine (id int8)", database)
      #expect(throws: DataStoreError.self) { try database.drop(late) }
      #expect(try ModelContext(container).fetchCount(FetchDescriptor<FirstPiers.Pier>()) == 1)
      try run("DROP TABLE a.mine", database)
      try database.drop(late)
      #expect(try database.stores().isEmpty)
      #expect(throws: DataStoreError.conflict) { try database.drop(late) }
      // Another store of the same name is not the one that was listed.
      try database.createStore(named: "a")
      #expect(throws: DataStoreError.conflict) { try database.drop(early) }
    }
  }

  @Test func `a migration of all stores tells what failed, goes on, and can be repeated`() throws {
    try withDatabase { database in
      try savePier("a", length: "12", in: container("a", database))
      let bad = try container("b", database)
      try savePier("b", length: "long", in: bad)
      let newest = Schema(
        storeSchema: StoreSchema(version: "3.0.0", entities: Self.second.storeSchema.entities)
      )
      try PostgreSQLDatabase(database.pool.configuration, schema: newest).createStore(named: "c")
      try PostgreSQLDatabase(database.pool.configuration, schema: Self.second)
        .createStore(named: "d")

      var seen: [String] = []
      let report = try database.migrate(to: Self.second) { progress in
        seen.append("\(progress.store.name) \(progress.done)/\(progress.total)")
      }
      #expect(seen == ["a 1/4", "b 2/4", "c 3/4", "d 4/4"])
      #expect(report.migrated == 1)
      #expect(report.current == 1)
      #expect(report.failures.map(\.store.name) == ["b", "c"])
      #expect(report.failures[0].error as? DataStoreError == .schemaMismatch)
      #expect(report.failures[1].error as? DataStoreError == .storeTooNew)

      let context = ModelContext(bad)
      try context.fetch(FetchDescriptor<FirstPiers.Pier>()).first?.length = "9"
      try context.save()
      let again = try database.migrate(to: Self.second)
      #expect(again.migrated == 1)
      #expect(again.current == 2)
      #expect(again.failures.map(\.store.name) == ["c"])
      let migrated = try ModelContainer(
        for: Self.second,
        configurations: [database.configuration(ofStore: "b")]
      )
      let piers = try ModelContext(migrated).fetch(FetchDescriptor<SecondPiers.Pier>())
      #expect(piers.map(\.length) == [9])
    }
  }

  /// With `OPENSWIFTDATA_STORES=10000` this prints the figures of Documentation/PostgreSQL.md.
  @Test func `hundreds of open stores share few connections, and reopening costs one round trip`()
    throws
  {
    let given = ProcessInfo.processInfo.environment["OPENSWIFTDATA_STORES"].flatMap(Int.init)
    let (count, threads) = (given ?? 300, 12)
    try withDatabase { database in
      let failures = Mutex<[any Error]>([])
      func each(_ body: @Sendable (String) throws -> Void) throws {
        DispatchQueue.concurrentPerform(iterations: threads) { thread in
          do {
            for index in stride(from: thread, to: count, by: threads) { try body("t\(index)") }
          } catch {
            failures.withLock { $0.append(error) }
          }
        }
        if let failure = failures.withLock({ $0.first }) { throw failure }
      }
      try each { try database.createStore(named: $0) }
      let before = Self.residentBytes
      let cache = ModelContainerCache(for: Self.first, limit: count) {
        try database.configuration(ofStore: $0)
      }
      try each { _ = try cache.container(named: $0) }
      let opened = Self.residentBytes
      try each { name in
        let container = try cache.container(named: name)
        try savePier(name, in: container)
        let piers = try ModelContext(container).fetch(FetchDescriptor<FirstPiers.Pier>())
        #expect(piers.map(\.name) == [name])
      }
      let used = Self.residentBytes
      let connections = try PrivateCluster.shared().connect().run(
        Statement(
          "SELECT count(*) FROM pg_stat_activity WHERE datname = $1",
          [Parameter(database.pool.configuration.database)]
        )
      )
      #expect(try #require(try connections.value(0, 0, as: Int64.self)) <= 4)
      let trips = try database.pool.withConnection(deadline: .after(.seconds(30))) { $0.roundTrips }
      for index in 0..<min(count, 300) {
        let configuration = try database.configuration(ofStore: "t\(index)")
        _ = try ModelContainer(for: Self.first, configurations: [configuration])
      }
      let after = try database.pool.withConnection(deadline: .after(.seconds(30))) { $0.roundTrips }
      #expect(after - trips == min(count, 300))
      #expect(try database.stores().count == count)
      if given != nil {
        print("\(count) stores: \((opened - before) / count) bytes each when opened,")
        print("\((used - before) / count) after a save and a fetch")
      }
    }
  }

  /// The resident memory of the process.
  private static var residentBytes: Int {
    let pages = try? String(contentsOfFile: "/proc/self/statm", encoding: .utf8).split(
      separator: " "
    )
    return (pages.flatMap { $0.count > 1 ? Int($0[1]) : nil } ?? 0) * 4096
  }
}
