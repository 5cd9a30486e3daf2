import Foundation
import PostgreSQLClient
import OpenSwiftData
import PostgreSQLTestSupport
import Synchronization
import Testing

@testable import PostgreSQLStore

private enum FirstPosts: VersionedSchema {
  static var models: [any PersistentModel.Type] { [Post.self] }
  static var versionIdentifier: Schema.Version { Schema.Version(1, 0, 0) }

  @Model final class Post {
    var name: String

    init(name: String) { self.name = name }
  }
}

private enum SecondPosts: VersionedSchema {
  static var models: [any PersistentModel.Type] { [Post.self] }
  static var versionIdentifier: Schema.Version { Schema.Version(2, 0, 0) }

  @Model final class Post {
    @Attribute(.unique) var name: String

    init(name: String) { self.name = name }
  }
}

@Suite(
  .enabled(
    if: PrivateCluster.isAvailable || PrivateCluster.isRequired,
    "no PostgreSQL server is installed"
  )
)
struct `Many stores in one database` {
  private static let first = Schema(versionedSchema: FirstPiers.self)

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
    _ database: PostgreSQLDatabase
  ) throws -> ModelContainer {
    try database.createStore(named: name)
    return try ModelContainer(
      for: #require(database.schema),
      configurations: [database.configuration(ofStore: name)]
    )
  }

  private func savePier(_ name: String, in container: ModelContainer) throws {
    let context = ModelContext(container)
    context.insert(FirstPiers.Pier(name: name, length: "1"))
    try context.save()
  }

  @Test func `stores share a pool and a map of their schema, and keep their rows separate`() throws
  {
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

  @Test func `opening an unknown store does not create it`() throws {
    try withDatabase { database in
      let configuration = try database.configuration(ofStore: "typo")
      #expect(throws: DataStoreError.storeNotFound) { try PostgreSQLStore(configuration) }
      #expect(try database.stores().isEmpty)
      try database.createStore(named: "typo")
      try database.createStore(named: "typo")
      _ = try PostgreSQLStore(configuration)
    }
  }

  @Test func `a database URL with a schema or an unknown option is refused`() {
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
      try database.run("CREATE SCHEMA other; ")
      try database.run("CREATE TABLE other._meta (id int8)")
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

  @Test func `a store that is dropped during the listing is omitted`() throws {
    try withDatabase { database in
      for name in ["a", "c", "d"] { try database.createStore(named: name) }
      let session = Session(database.pool, space: "", timeout: .seconds(30), location: "test")
      let spaces = ["a", "b", "c", "d"].map { StoreSpace(name: $0, tables: "") }
      let found = try PostgreSQLDatabase.summaries(spaces[...], session)
      #expect(found.map(\.name) == ["a", "c", "d"])
    }
  }

  @Test func `a store is dropped only if it is unchanged and its schema has nothing else`()
    throws
  {
    try withDatabase { database in
      let container = try container("a", database)
      let early = try #require(try database.stores().first)
      try savePier("x", in: container)
      #expect(throws: DataStoreError.conflict) { try database.drop(early) }
      let late = try #require(try database.stores().first)
      try database.run("CREATE VIEW a.seen AS SELECT name FROM a.\"Pier\"")
      #expect(throws: DataStoreError.self) { try database.drop(late) }
      #expect(try ModelContext(container).fetchCount(FetchDescriptor<FirstPiers.Pier>()) == 1)
      try database.run("DROP VIEW a.seen")
      try database.run("CREATE TABLE a.mine (id int8)")
      #expect(throws: DataStoreError.self) { try database.drop(late) }
      #expect(try ModelContext(container).fetchCount(FetchDescriptor<FirstPiers.Pier>()) == 1)
      try database.run("DROP TABLE a.mine")
      try database.drop(late)
      #expect(try database.stores().isEmpty)
      #expect(throws: DataStoreError.conflict) { try database.drop(late) }
      // Another store of the same name is not the one that was listed.
      try database.createStore(named: "a")
      #expect(throws: DataStoreError.conflict) { try database.drop(early) }
    }
  }

  @Test func `a migration of all stores reports failures, continues and can be repeated`() throws {
    try withDatabase(Schema(versionedSchema: FirstPosts.self)) { database in
      let contexts = try ["a", "b"].map { ModelContext(try container($0, database)) }
      for (context, names) in zip(contexts, [["x", "y"], ["x", "x"]]) {
        for name in names { context.insert(FirstPosts.Post(name: name)) }
        try context.save()
      }
      let second = Schema(versionedSchema: SecondPosts.self)
      let third = Schema(
        storeSchema: StoreSchema(version: "3.0.0", entities: second.storeSchema.entities)
      )
      let connection = database.pool.configuration
      try PostgreSQLDatabase(connection, schema: third).createStore(named: "c")
      try PostgreSQLDatabase(connection, schema: second).createStore(named: "d")

      var seen: [String] = []
      let report = try database.migrate(to: second) { progress in
        seen.append("\(progress.store.name) \(progress.done)/\(progress.total)")
      }
      #expect(seen == ["a 1/4", "b 2/4", "c 3/4", "d 4/4"])
      #expect(report.migrated == 1)
      #expect(report.current == 1)
      #expect(report.failures.map(\.store.name) == ["b", "c"])
      #expect(report.failures.first?.error as? DataStoreError == .schemaMismatch)
      #expect(report.failures.last?.error as? DataStoreError == .storeTooNew)

      try contexts[1].fetch(FetchDescriptor<FirstPosts.Post>()).first?.name = "y"
      try contexts[1].save()
      let again = try database.migrate(to: second)
      #expect(again.migrated == 1)
      #expect(again.current == 2)
      #expect(again.failures.map(\.store.name) == ["c"])
      let migrated = try ModelContainer(
        for: second,
        configurations: [database.configuration(ofStore: "b")]
      )
      #expect(try ModelContext(migrated).fetchCount(FetchDescriptor<SecondPosts.Post>()) == 2)
    }
  }

  @Test func `a service opens one store for each tenant`() throws {
    try withDatabase { database in
      let configuration = database.pool.configuration
      let folder = try PrivateCluster.shared().folder.path
      let url =
        "postgres:///\(configuration.database ?? "")?host=\(folder)&port=\(PrivateCluster.port)"
        + "&user=tester"
      let schema = Self.first
      // snippet.tenant-stores
      let shop = try PostgreSQLDatabase(url: url, schema: schema)
      let tenants = ModelContainerCache(for: schema) { try shop.configuration(ofStore: $0) }

      // When a tenant signs up:
      try shop.createStore(named: "tenant-7")
      // For each request:
      let context = ModelContext(try tenants.container(named: "tenant-7"))
      // snippet.end
      #expect(try context.fetchCount(FetchDescriptor<FirstPiers.Pier>()) == 0)
      #expect(throws: DataStoreError.storeNotFound) { try tenants.container(named: "tenant-8") }
    }
  }

  /// With `OPENSWIFTDATA_STORES=10000` this prints the figures of Documentation/PostgreSQL.md.
  @Test func `hundreds of open stores share few connections, and reopening takes one round trip`()
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
      let opening = try ContinuousClock().measure {
        for index in 0..<min(count, 300) {
          let configuration = try database.configuration(ofStore: "t\(index)")
          _ = try ModelContainer(for: Self.first, configurations: [configuration])
        }
      }
      let after = try database.pool.withConnection(deadline: .after(.seconds(30))) { $0.roundTrips }
      #expect(after - trips == min(count, 300))
      var listed = 0
      let listing = try ContinuousClock().measure { listed = try database.stores().count }
      #expect(listed == count)
      if given != nil {
        print("\(count) stores: \((opened - before) / count) bytes each when opened,")
        print("\((used - before) / count) after a save and a fetch;")
        print("listed in \(listing), opened in \(opening / min(count, 300)) each")
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
