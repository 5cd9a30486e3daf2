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

  @Test func `takes at most three round trips and no additional connection, also with a plan`()
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
    #expect(plain == 1)
    #expect(planned <= 3)
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
