import PostgreSQLClient
import PostgreSQLStore
import PostgreSQLTestSupport
import StoreConformance
import StoreProtocol
import Synchronization
import Testing

/// Stores in schemas of the private server, one schema a store.
struct SchemaFixture: StoreFixture {
  private static let count = Atomic(0)

  func makePlace() throws -> PostgreSQLStoreConfiguration {
    let number = Self.count.add(1, ordering: .relaxed).newValue
    return try PostgreSQLStoreConfiguration(
      PrivateCluster.shared().configuration(),
      databaseSchema: "store \(number)"
    )
  }

  func open(_ place: PostgreSQLStoreConfiguration, schema: Schema?) throws -> PostgreSQLStore {
    var configuration = place
    configuration.schema = schema
    return try PostgreSQLStore(configuration)
  }

  func destroy(_ place: PostgreSQLStoreConfiguration) throws {
    let connection = try PrivateCluster.shared().connect()
    let space = try SQLName.quoted(place.databaseSchema)
    try connection.run(Statement("DROP SCHEMA IF EXISTS \(space) CASCADE"))
  }

  var hooks: Set<FixtureHook> { [.secondHandle] }
}

@Suite(
  .enabled(
    if: PrivateCluster.isAvailable || PrivateCluster.isRequired,
    "no PostgreSQL server is installed"
  )
)
struct `PostgreSQLStore keeps the store contract` {
  @Test(arguments: PrivateCluster.isAvailable ? try Rule.all(for: SchemaFixture()) : [])
  func keeps(_ rule: Rule) throws { try rule.check(SchemaFixture()) }

  // The server of the tests does not sync, and says so; what outlives a store holds all the same.
  @Test(
    arguments: Rule.all.filter { rule in
      rule.needs.contains(.durability)
        && rule.hooks.allSatisfy { $0 == .secondHandle }
    }
  )
  func `keeps while the server lives`(_ rule: Rule) throws { try rule.check(SchemaFixture()) }
}
