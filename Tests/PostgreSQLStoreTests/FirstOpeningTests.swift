import Foundation
import OpenSwiftData
import PostgreSQLClient
import PostgreSQLStore
import PostgreSQLTestSupport
import Synchronization
import Testing

@Suite(
  .enabled(
    if: PrivateCluster.isAvailable || PrivateCluster.isRequired,
    "no PostgreSQL server is installed"
  )
)
struct `Opening a store for the first time` {
  private enum Plan: SchemaMigrationPlan {
    static var schemas: [any VersionedSchema.Type] { [FirstPiers.self] }
    static var stages: [MigrationStage] { [] }
  }

  private let schema = Schema(versionedSchema: FirstPiers.self)

  private func configuration(
    _ connection: ConnectionConfiguration? = nil,
    named name: String = "o" + UUID().uuidString
  ) throws -> PostgreSQLStoreConfiguration {
    try PostgreSQLStoreConfiguration(
      connection ?? PrivateCluster.shared().configuration(),
      databaseSchema: name,
      schema: schema
    )
  }

  /// Checks that a store's server has logged no error, but logs errors.
  private func expectNoError(of configuration: PostgreSQLStoreConfiguration) throws {
    let cluster = try PrivateCluster.shared()
    // The server logs the statements of errors, which name the schema.
    let log = try cluster.log()
    let errors = log.split(separator: "\n").filter { $0.contains(configuration.databaseSchema) }
    #expect(errors == [])
    #expect(throws: PostgreSQLError.self) {
      try cluster.connect().run(Statement("SELECT FROM \"\(configuration.databaseSchema)\".none"))
    }
    #expect(try cluster.log().contains(configuration.databaseSchema))
  }

  @Test(arguments: [false, true])
  func `leaves no error in the server's log`(isPlanned: Bool) throws {
    let configuration = try configuration()
    defer { try? SchemaFixture().destroy(configuration) }
    let container = try ModelContainer(
      for: schema,
      migrationPlan: isPlanned ? Plan.self : nil,
      configurations: [configuration]
    )
    let context = ModelContext(container)
    #expect(try context.fetchCount(FetchDescriptor<FirstPiers.Pier>()) == 0)
    try expectNoError(of: configuration)
  }

  @Test func `leaves no error if the store must exist`() throws {
    var configuration = try configuration()
    configuration.createsStore = false
    #expect(throws: DataStoreError.storeNotFound) { try PostgreSQLStore(configuration) }
    try expectNoError(of: configuration)
  }

  @Test func `leaves no error if two programs open it at once`() throws {
    let configuration = try configuration()
    defer { try? SchemaFixture().destroy(configuration) }
    let cluster = try PrivateCluster.shared()
    let (first, observer) = (try cluster.connect(), try cluster.connect())
    let key = try first.run(
      Statement("SELECT hashtextextended($1, 0)", [Parameter(configuration.databaseSchema)])
    ).value(0, 0, as: Int64.self)
    try first.begin(TransactionOptions(.readCommitted))
    try first.run(Statement("SELECT pg_advisory_xact_lock($1)::text", [Parameter(key)]))
    let stores = Mutex<[String]>([])
    let done = DispatchGroup()
    for _ in 0..<2 {
      done.enter()
      Thread.detachNewThread {
        let identifier = Result { try PostgreSQLStore(configuration).identifier }
        stores.withLock { $0.append((try? identifier.get()) ?? "\(identifier)") }
        done.leave()
      }
    }
    // Both have seen that there is no store.
    let waiting = Statement(
      """
      SELECT count(*) FROM pg_locks WHERE locktype = 'advisory' AND NOT granted \
      AND (classid::int8 << 32) | objid::int8 = $1
      """,
      [Parameter(key)]
    )
    while try observer.run(waiting).value(0, 0, as: Int64.self) != 2,
      stores.withLock(\.isEmpty)
    {
      sched_yield()
    }
    try first.commit()
    done.wait()
    let identifiers = stores.withLock { $0 }
    #expect(identifiers.count == 2 && Set(identifiers).count == 1, "\(identifiers)")
    #expect(UUID(uuidString: identifiers[0]) != nil)
    try expectNoError(of: configuration)
  }

  @Test func `works with any name, whatever the server's strings are`() throws {
    try PrivateCluster.shared().withDatabase { connection in
      let database = try SQLName.quoted(#require(connection.database))
      try PrivateCluster.shared().connect()
        .run(Statement("ALTER DATABASE \(database) SET standard_conforming_strings = off"))
      let configuration = try configuration(connection, named: "o'\\'\\\"$$ || $1")
      let first = try PostgreSQLStore(configuration).identifier
      #expect(try PostgreSQLStore(configuration).identifier == first)
    }
  }

  @Test func `works without PL/pgSQL`() throws {
    try PrivateCluster.shared().withDatabase { connection in
      try Connection.open(connection, deadline: .after(.seconds(60)))
        .run(Statement("DROP EXTENSION plpgsql"))
      let configuration = try configuration(connection)
      let first = try PostgreSQLStore(configuration).identifier
      #expect(try PostgreSQLStore(configuration).identifier == first)
    }
  }
}
