import Foundation
import PostgreSQLClient
import OpenSwiftData
import PostgreSQLStore
import PostgreSQLTestSupport
import Testing

@Suite(
  .enabled(
    if: PrivateCluster.isAvailable || PrivateCluster.isRequired,
    "no PostgreSQL server is installed"
  )
)
struct `Opening an existing store` {
  private enum Plan: SchemaMigrationPlan {
    static var schemas: [any VersionedSchema.Type] { [FirstPiers.self] }
    static var stages: [MigrationStage] { [] }
  }

  /// Returns the round trips of a function on the only connection of its pool.
  private func roundTrips(of body: () throws -> Void, on pool: ConnectionPool) throws -> Int {
    let count = { try pool.withConnection(deadline: .after(.seconds(30))) { $0.roundTrips } }
    let before = try count()
    try body()
    #expect(pool.counts.open == 1)
    return try count() - before
  }

  @Test func `takes at most four round trips and no additional connection, also with a plan`()
    throws
  {
    var connection = try PrivateCluster.shared().configuration()
    connection.parameters["application_name"] = "opening"
    let configuration = try PostgreSQLStoreConfiguration(
      connection,
      databaseSchema: "o" + UUID().uuidString
    )
    defer { try? SchemaFixture().destroy(configuration) }
    let schema = Schema(versionedSchema: FirstPiers.self)
    let pool = ConnectionPool.shared(connection)
    let first = try ModelContainer(for: schema, configurations: [configuration])
    let plain = try roundTrips(
      of: { _ = try ModelContainer(for: schema, configurations: [configuration]) },
      on: pool
    )
    let planned = try roundTrips(
      of: {
        _ = try ModelContainer(
          for: schema,
          migrationPlan: Plan.self,
          configurations: [configuration]
        )
      },
      on: pool
    )
    // One more for each look at a store that may have to be created.
    #expect(plain == 2)
    #expect(planned <= 4)
    var known = configuration
    known.createsStore = false
    let required = try roundTrips(
      of: { _ = try ModelContainer(for: schema, configurations: [known]) },
      on: pool
    )
    #expect(required == 1)
    // A lock would wait for this transaction.
    let other = try PrivateCluster.shared().connect()
    try other.begin(TransactionOptions(.readCommitted))
    try other.run(Statement("SELECT FROM \"\(configuration.databaseSchema)\"._meta FOR UPDATE"))
    var impatient = configuration
    impatient.timeout = .seconds(2)
    _ = try ModelContainer(for: schema, migrationPlan: Plan.self, configurations: [impatient])
    withExtendedLifetime((first, other)) {}
  }
}

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

  @Test(arguments: [false, true])
  func `leaves no error in the server's log`(isPlanned: Bool) throws {
    let cluster = try PrivateCluster.shared()
    let configuration = try PostgreSQLStoreConfiguration(
      cluster.configuration(),
      databaseSchema: "o" + UUID().uuidString
    )
    defer { try? SchemaFixture().destroy(configuration) }
    let container = try ModelContainer(
      for: Schema(versionedSchema: FirstPiers.self),
      migrationPlan: isPlanned ? Plan.self : nil,
      configurations: [configuration]
    )
    let context = ModelContext(container)
    #expect(try context.fetchCount(FetchDescriptor<FirstPiers.Pier>()) == 0)
    // The server logs the statements of errors, which name the schema.
    #expect(try !cluster.log().contains(configuration.databaseSchema))
    #expect(throws: PostgreSQLError.self) {
      try cluster.connect().run(Statement("SELECT FROM \"\(configuration.databaseSchema)\".none"))
    }
    #expect(try cluster.log().contains(configuration.databaseSchema))
  }
}
