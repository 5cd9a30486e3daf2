import Foundation
import PostgreSQLClient
import OpenSwiftData
import PostgreSQLStore
import PostgreSQLTestSupport
import Synchronization
import Testing

/// The store's use of a Citus cluster, with a private server in place of its nodes.
///
/// `Scripts/test-cluster` also runs the tests of this suite that have an environment variable on a
/// cluster.
@Suite(
  .enabled(
    if: PrivateCluster.isAvailable || PrivateCluster.isRequired,
    "no PostgreSQL server is installed"
  )
)
struct `Stores on nodes of a cluster` {
  private static let environment = ProcessInfo.processInfo.environment

  /// Creates a store, migrates it with code, and removes it.
  private func migrate(_ configuration: PostgreSQLStoreConfiguration) throws {
    let first = Schema(versionedSchema: FirstPiers.self)
    var configuration = configuration
    configuration.schema = nil
    do {
      let container = try ModelContainer(for: first, configurations: [configuration])
      let context = ModelContext(container)
      let pier = FirstPiers.Pier(name: "a", length: "12")
      context.insert(pier)
      for _ in 0..<3 { pier.boats.append(FirstPiers.Boat()) }
      try context.save()
    }
    let container = try ModelContainer(
      for: Schema(versionedSchema: SecondPiers.self),
      migrationPlan: PierPlan.self,
      configurations: [configuration]
    )
    let piers = try ModelContext(container).fetch(FetchDescriptor<SecondPiers.Pier>())
    #expect(piers.map(\.title) == ["a!"])
    #expect(piers.map(\.boats.count) == [3])
    #expect(try PostgreSQLStore.remove(configuration))
  }

  private func expectDefinitionError(_ body: () throws -> Void) throws {
    let error = #expect(throws: DataStoreError.self) { try body() }
    #expect(error == .invalidConfiguration)
    #expect(try #require(error).message.contains("ddlURL"))
  }

  @Test func `a server that does not create tables requires ddlURL`() throws {
    let role = "worker_\(UInt32.random(in: 0...UInt32.max))"
    try PrivateCluster.shared().withDatabase { coordinator in
      let admin = try Connection.open(coordinator, deadline: .after(.seconds(60)))
      for statement in [
        "CREATE ROLE \(role) LOGIN SUPERUSER",
        """
        CREATE FUNCTION refuse() RETURNS event_trigger LANGUAGE plpgsql AS $$ BEGIN
        IF session_user = '\(role)' THEN
        RAISE EXCEPTION 'operation is not allowed on this node' USING ERRCODE = 'XX000';
        END IF; END $$
        """,
        "CREATE EVENT TRIGGER refuse ON ddl_command_start EXECUTE FUNCTION refuse()",
      ] {
        try admin.run(Statement(statement))
      }
      var worker = coordinator
      worker.user = role
      func configuration(
        _ connection: ConnectionConfiguration,
        _ definitions: ConnectionConfiguration?
      ) throws -> PostgreSQLStoreConfiguration {
        var configuration = try PostgreSQLStoreConfiguration(
          connection,
          definitions: definitions,
          databaseSchema: "piers",
          schema: Schema(versionedSchema: FirstPiers.self)
        )
        configuration.features = .citus
        return configuration
      }
      let alone = try configuration(worker, nil)
      try expectDefinitionError { _ = try PostgreSQLStore(alone) }
      try migrate(configuration(worker, coordinator))
      // The worker opens and uses an existing store, but changes no tables.
      _ = try PostgreSQLStore(configuration(coordinator, nil))
      _ = try PostgreSQLStore(alone).apply(StoreChanges())
      try expectDefinitionError {
        var changed = alone
        let entities = try #require(alone.schema).storeSchema.entities
        let added = StoreEntity(name: "Added", properties: [])
        changed.schema = Schema(storeSchema: StoreSchema(entities: entities + [added]))
        _ = try PostgreSQLStore(changed)
      }
      try expectDefinitionError { try PostgreSQLStore.remove(alone) }
      let database = PostgreSQLDatabase(
        worker,
        definitions: coordinator,
        schema: Schema(versionedSchema: FirstPiers.self)
      )
      try database.createStore(named: "boats")
      for store in try database.stores() { try database.drop(store) }
      #expect(try database.stores().isEmpty)
    }
    try PrivateCluster.shared().connect().run(Statement("DROP ROLE \(role)"))
  }

  @Test func `a reader of history reads every save once, in order`() throws {
    let configuration = try SchemaFixture(server: .citus).makeLocation()
    defer { try? SchemaFixture().destroy(configuration) }
    let schema = Schema(versionedSchema: FirstPiers.self)
    let store = try SchemaFixture().open(configuration, schema: schema)
    let (writers, saves) = (8, 20)
    let read = Mutex<[Int64]>([])
    let failures = Mutex<[String]>([])
    DispatchQueue.concurrentPerform(iterations: writers + 1) { index in
      do {
        if index < writers {
          for _ in 0..<saves { try save(store) }
        } else {
          var last: Int64 = 0
          while last < writers * saves, failures.withLock(\.isEmpty) {
            let filter = StoreHistoryFilter.number(.greater, last)
            let numbers = try store.transactions(StoreHistoryQuery(filter: filter)).map(\.number)
            read.withLock { $0 += numbers }
            last = numbers.last ?? last
          }
        }
      } catch {
        failures.withLock { $0.append("\(error)") }
      }
    }
    #expect(failures.withLock { $0 } == [])
    #expect(read.withLock { $0 } == (1...Int64(writers * saves)).map { $0 })
  }

  private func save(_ store: PostgreSQLStore) throws {
    let boat = DefaultSnapshot(
      persistentIdentifier: PersistentIdentifier(
        scope: .init(storeIdentifier: nil, entityName: "Boat"),
        key: .temporary(PersistentIdentifier.nextTemporaryNumber())
      ),
      names: PropertyNames(["pier"]),
      values: [.null]
    )
    _ = try store.apply(StoreChanges(inserted: [boat]))
  }

  @Test(.enabled(if: environment["WORKER_URL"] != nil, "WORKER_URL is not set"))
  func `stores are listed with their nodes, and moved between them`() throws {
    let schema = Schema(versionedSchema: FirstPiers.self)
    let database = try PostgreSQLDatabase(
      url: #require(Self.environment["COORDINATOR_URL"]),
      schema: schema
    )
    let names = ["moved", "\"not\" moved"]
    func stores() throws -> [PostgreSQLStoreSummary] {
      try database.stores().filter { names.contains($0.name) }
    }
    for name in names { try database.createStore(named: name) }
    defer {
      // The tables of a moved store remain on its old node for some seconds.
      _ = try? database.run("CALL citus_cleanup_orphaned_resources()")
      for store in (try? stores()) ?? [] { try? database.drop(store) }
    }
    let store = try PostgreSQLStore(database.configuration(ofStore: "moved"))
    try save(store)
    // Whether the stores begin on one node depends on what else the cluster has.
    let first = try #require(try stores().last?.node)
    let nodes = try database.run(
      "SELECT nodename || ':' || nodeport FROM pg_dist_node WHERE shouldhaveshards"
    )
    let other = try #require(nodes.first { $0 != first })
    for target in [other, first] {
      try database.move(storeNamed: "moved", to: target)
      #expect(try stores().last?.node == target)
      try save(store)
    }
    #expect(try stores().map(\.saves) == [0, 3])
  }

  @Test(.enabled(if: environment["WORKER_URL"] != nil, "WORKER_URL is not set"))
  func `a save that waits too long for a lock on the store's node throws storeBusy`() throws {
    let coordinator = try #require(Self.environment["COORDINATOR_URL"])
    let schema = Schema(versionedSchema: FirstPiers.self)
    var configuration = try PostgreSQLStoreConfiguration(
      url: coordinator + "&schema=busy",
      schema: schema
    )
    configuration.timeout = .seconds(4)
    let store = try PostgreSQLStore(configuration)
    let worker = try ConnectionURL(#require(Self.environment["WORKER_URL"])).configuration
    let other = try Connection.open(worker, deadline: .after(.seconds(60)))
    try other.begin(TransactionOptions(.readCommitted))
    try other.run(Statement("SELECT last_save FROM busy._meta FOR UPDATE"))
    #expect(throws: DataStoreError.storeBusy) { try save(store) }
    other.close()
    try PostgreSQLStore.remove(configuration)
  }

  @Test(.enabled(if: environment["WORKER_URL"] != nil, "WORKER_URL is not set"))
  func `a worker of a cluster refuses definitions, which ddlURL sends to the coordinator`() throws {
    let worker = try #require(Self.environment["WORKER_URL"]) + "&schema=piers"
    let schema = Schema(versionedSchema: FirstPiers.self)
    try expectDefinitionError {
      _ = try PostgreSQLStore(PostgreSQLStoreConfiguration(url: worker, schema: schema))
    }
    let coordinator = try #require(
      Self.environment["COORDINATOR_URL"]?.addingPercentEncoding(
        withAllowedCharacters: .alphanumerics
      )
    )
    try migrate(PostgreSQLStoreConfiguration(url: "\(worker)&ddlURL=\(coordinator)"))
  }
}
