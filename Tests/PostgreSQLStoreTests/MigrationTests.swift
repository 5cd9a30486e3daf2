import Foundation
import OpenSwiftData
import PostgreSQLClient
import PostgreSQLTestSupport
import StoreProtocol
import Synchronization
import Testing

enum FirstPiers: VersionedSchema {
  static var models: [any PersistentModel.Type] { [Pier.self, Boat.self] }
  static var versionIdentifier: Schema.Version { Schema.Version(1, 0, 0) }

  @Model final class Pier {
    var name: String
    var length: String
    @Relationship(inverse: \Boat.pier) var boats: [Boat] = []

    init(name: String, length: String) {
      self.name = name
      self.length = length
    }
  }

  @Model final class Boat {
    var pier: Pier?

    init() {}
  }
}

enum SecondPiers: VersionedSchema {
  static var models: [any PersistentModel.Type] { [Pier.self, Boat.self] }
  static var versionIdentifier: Schema.Version { Schema.Version(2, 0, 0) }

  @Model final class Pier {
    @Attribute(originalName: "name") var title: String
    var length: Double = 0
    var isOpen: Bool = true
    @Relationship(inverse: \Boat.pier) var boats: [Boat] = []

    init(title: String) { self.title = title }
  }

  @Model final class Boat {
    var pier: Pier?

    init() {}
  }
}

private struct Refused: Error {}

private func stage(didMigrate: @escaping @Sendable (ModelContext) throws -> Void) -> MigrationStage
{
  .custom(
    fromVersion: FirstPiers.self,
    toVersion: SecondPiers.self,
    willMigrate: { context in
      for pier in try context.fetch(FetchDescriptor<FirstPiers.Pier>()) { pier.name += "!" }
      try context.save()
    },
    didMigrate: didMigrate
  )
}

enum PierPlan: SchemaMigrationPlan {
  static var schemas: [any VersionedSchema.Type] { [FirstPiers.self, SecondPiers.self] }
  static var stages: [MigrationStage] {
    [
      stage { context in
        for pier in try context.fetch(FetchDescriptor<SecondPiers.Pier>()) { pier.length = 7 }
        try context.save()
      }
    ]
  }
}

private enum BothVersionsPlan: SchemaMigrationPlan {
  static var schemas: [any VersionedSchema.Type] { [FirstPiers.self, SecondPiers.self] }
  static var stages: [MigrationStage] {
    [
      .custom(fromVersion: FirstPiers.self, toVersion: SecondPiers.self) { contexts in
        for old in try contexts.old.fetch(FetchDescriptor<FirstPiers.Pier>()) {
          let new = contexts.new.model(for: old.persistentModelID) as? SecondPiers.Pier
          new?.length = Double(old.length) ?? -1
        }
      }
    ]
  }
}

private enum FailingPlan: SchemaMigrationPlan {
  static var schemas: [any VersionedSchema.Type] { [FirstPiers.self, SecondPiers.self] }
  static var stages: [MigrationStage] { [stage { _ in throw Refused() }] }
}

@Suite(
  .enabled(
    if: PrivateCluster.isAvailable || PrivateCluster.isRequired,
    "no PostgreSQL server is installed"
  )
)
struct `Migration in PostgreSQL` {
  /// Runs a body with the configuration of a store that the first version has written.
  private func withStore(
    on connection: ConnectionConfiguration? = nil,
    _ body: (PostgreSQLStoreConfiguration, ModelContainer) throws -> Void
  ) throws {
    let configuration = try PostgreSQLStoreConfiguration(
      connection ?? PrivateCluster.shared().configuration(),
      databaseSchema: "m" + UUID().uuidString
    )
    defer { try? SchemaFixture().destroy(configuration) }
    let container = try ModelContainer(
      for: Schema(versionedSchema: FirstPiers.self),
      configurations: [configuration]
    )
    let context = ModelContext(container)
    let pier = FirstPiers.Pier(name: "a", length: "12")
    context.insert(pier)
    for _ in 0..<3 {
      let boat = FirstPiers.Boat()
      context.insert(boat)
      boat.pier = pier
    }
    try context.save()
    try body(configuration, container)
  }

  private func open(
    _ configuration: PostgreSQLStoreConfiguration,
    _ plan: (any SchemaMigrationPlan.Type)?
  ) throws -> ModelContainer {
    try ModelContainer(
      for: Schema(versionedSchema: SecondPiers.self),
      migrationPlan: plan,
      configurations: [configuration]
    )
  }

  @Test func `a custom stage keeps rows and relationships, and older handles cannot save`()
    throws
  {
    try withStore { configuration, older in
      let container = try open(configuration, PierPlan.self)
      let pier = try #require(
        try ModelContext(container).fetch(FetchDescriptor<SecondPiers.Pier>()).first
      )
      #expect(pier.title == "a!")
      #expect(pier.length == 7)
      #expect(pier.isOpen)
      #expect(pier.boats.count == 3)
      let context = ModelContext(older)
      context.insert(FirstPiers.Boat())
      #expect(throws: DataStoreError.schemaMismatch) { try context.save() }
      let copies = try PrivateCluster.shared().connect().run(
        Statement(
          "SELECT count(*) FROM pg_namespace WHERE nspname LIKE $1",
          [Parameter(configuration.databaseSchema + "~%")]
        )
      )
      #expect(try copies.value(0, 0, as: Int64.self) == 0)
    }
  }

  @Test func `a custom stage reads old objects, and leaves no copy`() throws {
    try withStore { configuration, _ in
      let cluster = try PrivateCluster.shared()
      #expect(try BothVersionsPlan.rehearse(on: configuration).succeeds)
      #expect(
        try cluster.schemas(beginningWith: configuration.databaseSchema).count == 1
      )
      let container = try open(configuration, BothVersionsPlan.self)
      let piers = try ModelContext(container).fetch(FetchDescriptor<SecondPiers.Pier>())
      #expect(piers.map(\.length) == [12])
      #expect(
        try cluster.schemas(beginningWith: configuration.databaseSchema).count == 1
      )
    }
  }

  @Test(arguments: [true, false])
  func `code runs with a pool of one connection`(_ readsOld: Bool) throws {
    var connection = try PrivateCluster.shared().configuration()
    connection.parameters["application_name"] = "one " + UUID().uuidString
    let pool = ConnectionPool.shared(connection, limit: 1)
    try withStore(on: connection) { configuration, _ in
      var configuration = configuration
      configuration.timeout = .seconds(10)
      let container = try open(configuration, readsOld ? BothVersionsPlan.self : PierPlan.self)
      let piers = try ModelContext(container).fetch(FetchDescriptor<SecondPiers.Pier>())
      #expect(piers.map(\.length) == [readsOld ? 12 : 7])
      #expect(piers.first?.boats.count == 3)
      #expect(pool.counts.open == 1)
    }
  }

  @Test func `the copy is removed together with its replacement`() throws {
    try withStore { configuration, container in
      let cluster = try PrivateCluster.shared()
      let migration = try #require(try PostgreSQLStore.beginMigration(of: configuration))
      _ = try migration.makeCopy()
      #expect(try cluster.schemas(beginningWith: configuration.databaseSchema).count == 2)
      try migration.replaceByCopy()
      // A program that is killed here leaves no copy.
      #expect(try cluster.schemas(beginningWith: configuration.databaseSchema).count == 1)
      migration.end()
      let again = try ModelContainer(
        for: Schema(versionedSchema: FirstPiers.self),
        configurations: [configuration]
      )
      #expect(try ModelContext(again).fetchCount(FetchDescriptor<FirstPiers.Boat>()) == 3)
    }
  }

  @Test(arguments: [false, true])
  func `the copy of a killed migration is removed when the store is next opened`(
    _ migrates: Bool
  ) throws {
    try withStore { configuration, _ in
      let cluster = try PrivateCluster.shared()
      let name = configuration.databaseSchema
      let migration = try #require(try PostgreSQLStore.beginMigration(of: configuration))
      _ = try migration.makeCopy()
      func reopen() throws -> ModelContainer {
        try ModelContainer(
          for: Schema(versionedSchema: FirstPiers.self),
          configurations: [configuration]
        )
      }
      // Not while the migration is in progress.
      _ = try reopen()
      #expect(try cluster.schemas(beginningWith: name).count == 2)

      // The server ends the transaction of a program that was killed.
      let connection = try cluster.connect()
      let locks = "FROM pg_locks WHERE mode = 'RowShareLock' AND relation = $1::text::regclass"
      func run(_ sql: String) throws -> QueryResult {
        try connection.run(Statement(sql + locks, [Parameter("\"\(name)\"._meta")]))
      }
      _ = try run("SELECT pg_terminate_backend(pid) ")
      while try run("SELECT count(*) ").value(0, 0, as: Int64.self) != 0 { usleep(1_000) }
      #expect(try cluster.schemas(beginningWith: name).count == 2)
      if migrates {
        let context = ModelContext(try open(configuration, PierPlan.self))
        let pier = try #require(try context.fetch(FetchDescriptor<SecondPiers.Pier>()).first)
        #expect(pier.title == "a!" && pier.length == 7 && pier.boats.count == 3)
      } else {
        let context = ModelContext(try reopen())
        let pier = try #require(try context.fetch(FetchDescriptor<FirstPiers.Pier>()).first)
        #expect(pier.name == "a" && pier.length == "12" && pier.boats.count == 3)
      }
      #expect(try cluster.schemas(beginningWith: name) == [name])
      // The killed program cannot continue.
      #expect(throws: (any Error).self) { try migration.replaceByCopy() }
    }
  }

  @Test func `another store with the name of a copy stays`() throws {
    try withStore { configuration, _ in
      let other = try PostgreSQLStoreConfiguration(
        PrivateCluster.shared().configuration(),
        databaseSchema: configuration.databaseSchema + "~copy"
      )
      defer { try? SchemaFixture().destroy(other) }
      let schema = Schema(versionedSchema: FirstPiers.self)
      let context = ModelContext(try ModelContainer(for: schema, configurations: [other]))
      context.insert(FirstPiers.Boat())
      try context.save()
      _ = try ModelContainer(for: schema, configurations: [configuration])
      let again = ModelContext(try ModelContainer(for: schema, configurations: [other]))
      #expect(try again.fetchCount(FetchDescriptor<FirstPiers.Boat>()) == 1)
    }
  }

  @Test func `an older version without a plan is refused, and changes nothing`() throws {
    try withStore { configuration, _ in
      let newer = ModelContext(try open(configuration, PierPlan.self))
      #expect(throws: DataStoreError.storeTooNew) {
        try ModelContainer(
          for: Schema(versionedSchema: FirstPiers.self),
          configurations: [configuration]
        )
      }
      #expect(try newer.fetch(FetchDescriptor<SecondPiers.Pier>()).map(\.length) == [7])
      newer.insert(SecondPiers.Pier(title: "b"))
      try newer.save()
    }
  }

  @Test func `a stage that throws changes nothing, and saves continue`() throws {
    try withStore { configuration, container in
      #expect(throws: (any Error).self) { try open(configuration, FailingPlan.self) }
      let context = ModelContext(container)
      let pier = try #require(try context.fetch(FetchDescriptor<FirstPiers.Pier>()).first)
      #expect(pier.name == "a")
      #expect(pier.boats.count == 3)
      pier.name = "b"
      try context.save()
    }
  }

  @Test func `a save during a migration waits, and throws if the store stays busy`() throws {
    try withStore { configuration, _ in
      var patient = configuration
      patient.timeout = .seconds(3)
      let store = try PostgreSQLStore(patient)
      let migration = try #require(try PostgreSQLStore.beginMigration(of: configuration))
      #expect(throws: DataStoreError.storeBusy) { try store.apply(StoreChanges()) }
      migration.end()
      _ = try store.apply(StoreChanges())
    }
  }

  @Test func `a save waits for a migration for most of its timeout`() throws {
    try withStore { configuration, _ in
      var patient = configuration
      patient.timeout = .seconds(4)
      let store = try PostgreSQLStore(patient)
      let observer = try PrivateCluster.shared().connect()
      let migration = try #require(try PostgreSQLStore.beginMigration(of: configuration))
      let result = Mutex<Result<StoreChangesResult, any Error>?>(nil)
      let done = DispatchSemaphore(value: 0)
      Thread.detachNewThread {
        let saved = Result { try store.apply(StoreChanges()) }
        result.withLock { $0 = saved }
        done.signal()
      }
      let waiting = Statement(
        """
        SELECT count(*) FROM pg_stat_activity WHERE wait_event_type = 'Lock' \
        AND strpos(query, $1) > 0
        """,
        [Parameter("\"\(configuration.databaseSchema)\"._meta")]
      )
      while try observer.run(waiting).integer(0, 0) == 0 { sched_yield() }
      // By the server's clock, which began before.
      try observer.run(Statement("SELECT pg_sleep(2.8)"))
      migration.end()
      done.wait()
      _ = try #require(result.withLock { $0 }).get()
    }
  }
}
