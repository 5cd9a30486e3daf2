import Foundation
import PostgreSQLClient
import PostgreSQLTestSupport
import StoreProtocol
import Synchronization
import Testing

@testable import PostgreSQLStore

/// Notifications of saves, and servers without them.
@Suite(
  .enabled(
    if: PrivateCluster.isAvailable || PrivateCluster.isRequired,
    "no PostgreSQL server is installed"
  ),
  .timeLimit(.minutes(30))
)
struct `PostgreSQL watches` {
  private static let schema = Schema(
    storeSchema: StoreSchema(entities: [
      StoreEntity(
        name: "Trip",
        properties: [StoreProperty(name: "name", kind: .attribute(.string), isOptional: true)],
        indices: [["name"]]
      )
    ])
  )

  private func save(_ store: PostgreSQLStore) throws {
    _ = try store.apply(
      StoreChanges(inserted: [
        DefaultSnapshot(
          persistentIdentifier: PersistentIdentifier(
            scope: .init(storeIdentifier: nil, entityName: "Trip"),
            key: .temporary(PersistentIdentifier.nextTemporaryNumber())
          ),
          names: PropertyNames(["name"]),
          values: [.string("a")]
        )
      ])
    )
  }

  /// Counts reports, and waits for them.
  private final class Reports: Sendable {
    private let semaphore = DispatchSemaphore(value: 0)

    func add() { semaphore.signal() }

    func arrive(within seconds: Double) -> Bool {
      semaphore.wait(timeout: .now() + seconds) == .success
    }
  }

  private func withStore(
    _ fixture: SchemaFixture = SchemaFixture(),
    _ body: (PostgreSQLStore, PostgreSQLStoreConfiguration) throws -> Void
  ) throws {
    let configuration = try fixture.makeLocation()
    try body(try fixture.open(configuration, schema: Self.schema), configuration)
    try fixture.destroy(configuration)
  }

  private func watch(_ store: PostgreSQLStore) throws -> (watch: SaveWatch, reports: Reports) {
    let watch = try #require(try store.watch() as? SaveWatch)
    let reports = Reports()
    watch.onPossibleSave { reports.add() }
    return (watch, reports)
  }

  @Test func `a save of another handle is reported at once`() throws {
    try withStore { store, configuration in
      let (watch, reports) = try watch(store)
      #expect(watch.isListening)
      let other = try PostgreSQLStore(configuration)
      for _ in 0..<2 {
        try save(other)
        #expect(reports.arrive(within: 60))
        #expect(try watch.newSaves() != nil)
        // A handle does not report a save that follows another one immediately.
        usleep(60_000)
      }
      while reports.arrive(within: 0.1) {}
      try other.erase()
      #expect(reports.arrive(within: 60))
      _ = try other.fetch(StoreQuery(entity: "Trip"))
      while reports.arrive(within: 0.1) {}
      #expect(!reports.arrive(within: 0.2))
    }
  }

  @Test func `saves in other schemas are not reported`() throws {
    try withStore { store, _ in
      let (watch, reports) = try watch(store)
      try withStore { other, _ in try save(other) }
      #expect(!reports.arrive(within: 0.3))
      try save(store)
      #expect(reports.arrive(within: 60))
      #expect(watch.isListening)
    }
  }

  @Test func `a lost connection loses notifications, but no saves`() throws {
    try withStore { store, _ in
      let (watch, _) = try watch(store)
      let connection = try PrivateCluster.shared().connect()
      // The listening connection is the only one whose last statement is LISTEN to this store.
      let channel = try SaveNotifications(store.configuration.databaseSchema).channel
      try connection.run(
        Statement(
          "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE query = $1",
          [Parameter("LISTEN \(channel)")]
        )
      )
      let deadline = ContinuousClock.now + .seconds(60)
      while watch.isListening, ContinuousClock.now < deadline { usleep(10_000) }
      #expect(!watch.isListening)
      try save(store)
      #expect(try watch.newSaves() == 1...1)
    }
  }

  @Test func `releasing a watch closes its connection`() throws {
    try withStore { store, _ in
      let connection = try PrivateCluster.shared().connect()
      let channel = try SaveNotifications(store.configuration.databaseSchema).channel
      func count() throws -> Int64? {
        try connection.run(
          Statement(
            "SELECT count(*) FROM pg_stat_activity WHERE query = $1",
            [Parameter("LISTEN \(channel)")]
          )
        )
        .value(0, 0)
      }
      do {
        let (watch, _) = try watch(store)
        #expect(try count() == 1)
        _ = try watch.newSaves()
      }
      let deadline = ContinuousClock.now + .seconds(60)
      while try count() != 0, ContinuousClock.now < deadline { usleep(10_000) }
      #expect(try count() == 0)
    }
  }

  @Test func `a watch polls with notify=no`() throws {
    let url = "postgres://host/db?schema=a&notify="
    #expect(try !PostgreSQLStoreConfiguration(url: url + "no").features.contains(.notifications))
    #expect(try PostgreSQLStoreConfiguration(url: url + "yes").features == .all)
    #expect(throws: DataStoreError.invalidConfiguration) {
      try PostgreSQLStoreConfiguration(url: url + "perhaps")
    }
    try withStore(SchemaFixture(server: .cockroachDB)) { store, _ in
      let (watch, _) = try watch(store)
      #expect(!watch.isListening)
      try save(store)
      #expect(try watch.newSaves() == 1...1)
    }
  }

  @Test(
    .enabled(
      if: PrivatePooler.isAvailable || PrivatePooler.isRequired,
      "PgBouncer is not installed"
    )
  )
  func `a watch through a pooler polls, and saves through it notify other watches`() throws {
    try withStore(SchemaFixture(server: .pooled)) { store, configuration in
      let (watch, _) = try watch(store)
      #expect(!watch.isListening)
      let direct = try PostgreSQLStore(
        PostgreSQLStoreConfiguration(
          PrivateCluster.shared().configuration(),
          databaseSchema: configuration.databaseSchema
        )
      )
      let (other, reports) = try self.watch(direct)
      try save(store)
      #expect(reports.arrive(within: 60))
      #expect(other.isListening)
      #expect(try watch.newSaves() == 1...1)
    }
  }

  @Test func `the features of engines are derived from their versions and extensions`() {
    let plain = "PostgreSQL 15.18 (Debian 15.18-0+deb12u1) on x86_64-pc-linux-gnu"
    #expect(ServerFeatures(version: plain, hasCitus: false) == .all)
    #expect(ServerFeatures(version: plain, hasCitus: true) == .citus)
    let yugabyte = "PostgreSQL 15.2-YB-2024.2.0.0-b0 on x86_64-pc-linux-gnu"
    #expect(ServerFeatures(version: yugabyte, hasCitus: false) == .yugabyteDB)
    let cockroach = "CockroachDB CCL v24.1.0"
    #expect(ServerFeatures(version: cockroach, hasCitus: false) == .cockroachDB)
  }

  @Test func `a disabled feature is never used`() throws {
    let admin = try PrivateCluster.shared().connect()
    let role = "logged_\(UInt32.random(in: 0...UInt32.max))"
    for statement in [
      "CREATE ROLE \(role) LOGIN SUPERUSER", "ALTER ROLE \(role) SET log_statement = 'all'",
      "ALTER ROLE \(role) SET log_parameter_max_length = 0",
    ] {
      try admin.run(Statement(statement))
    }
    let log = try PrivateCluster.shared().log
    let all = [
      "NOTIFY", "LISTEN", "pg_advisory", "spgist", "READ COMMITTED", "REPEATABLE READ",
    ]
    let citus = [
      "SET LOCAL citus.propagate_set_commands = 'local'",
      "SET LOCAL citus.enable_schema_based_sharding = on",
    ]
    for (features, words) in [
      (ServerFeatures.all, all), (.yugabyteDB, Array(all.suffix(2))), (.cockroachDB, []),
      (.citus, Array(all.suffix(4)) + citus),
    ] {
      let before = try log().utf8.count
      var connection = try PrivateCluster.shared().configuration()
      connection.user = role
      var configuration = try PostgreSQLStoreConfiguration(connection, databaseSchema: role)
      configuration.features = features
      configuration.schema = Self.schema
      let store = try PostgreSQLStore(configuration)
      _ = try watch(store)
      try save(store)
      try store.readingOneState { _ = try store.count(StoreQuery(entity: "Trip")) }
      try PostgreSQLStore.remove(configuration)
      let lines = String(decoding: try log().utf8.dropFirst(before), as: UTF8.self)
        .split(separator: "\n").filter { $0.contains("LOG:  execute") }
      let used = (all + citus).filter { word in lines.contains { $0.contains(word) } }
      #expect(used == words)
      #expect(lines.contains { $0.contains("SERIALIZABLE") } == (features == .cockroachDB))
    }
    try admin.run(Statement("DROP ROLE \(role)"))
  }
}
