import PostgreSQLClient
import PostgreSQLStore
import PostgreSQLTestSupport
import StoreConformance
import StoreProtocol
import Synchronization
import Testing

/// Stores in schemas of the private server, one schema for each store.
struct SchemaFixture: StoreFixture {
  /// The ways in which the server is used.
  enum Server {
    case direct
    /// Through PgBouncer in transaction mode, with two connections to the server.
    case pooled
    /// Without the features that other engines lack, and with serializable transactions.
    case bare
  }

  private static let count = Atomic(0)

  var server = Server.direct

  func makeLocation() throws -> PostgreSQLStoreConfiguration {
    let number = Self.count.add(1, ordering: .relaxed).newValue
    let connection =
      try server == .pooled
      ? PrivatePooler.shared().configuration() : PrivateCluster.shared().configuration()
    var place = try PostgreSQLStoreConfiguration(connection, databaseSchema: "store \(number)")
    if server == .bare { place.features = [] }
    return place
  }

  func open(_ place: PostgreSQLStoreConfiguration, schema: Schema?) throws -> PostgreSQLStore {
    var configuration = place
    configuration.schema = schema
    return try PostgreSQLStore(configuration)
  }

  func destroy(_ place: PostgreSQLStoreConfiguration) throws {
    try PostgreSQLStore.remove(place)
  }

  var hooks: Set<FixtureHook> { [.secondHandle] }
}

/// The rules for all stores, and those for durable stores.
///
/// The test server does not sync, and reports that; the rules for durable stores hold nevertheless.
private let rules: [Rule] =
  PrivateCluster.isAvailable
  ? ((try? Rule.all(for: SchemaFixture())) ?? [])
    + Rule.all.filter { rule in
      rule.needs.contains(.durability) && rule.hooks.allSatisfy { $0 == .secondHandle }
    } : []

@Suite(
  .enabled(
    if: PrivateCluster.isAvailable || PrivateCluster.isRequired,
    "no PostgreSQL server is installed"
  )
)
struct `PostgreSQLStore keeps the store contract` {
  @Test func `the suite has more than 250 rules`() { #expect(rules.count > 250) }

  @Test(arguments: rules)
  func directly(_ rule: Rule) throws { try rule.check(SchemaFixture()) }

  @Test(arguments: rules)
  func `without features that other engines lack`(_ rule: Rule) throws {
    try rule.check(SchemaFixture(server: .bare))
  }
}

/// One rule at a time: tests that hold a connection while they wait for another would wait for each
/// other.
@Suite(
  .serialized,
  .enabled(
    if: PrivatePooler.isAvailable || PrivatePooler.isRequired,
    "PgBouncer is not installed"
  )
)
struct `PostgreSQLStore keeps the store contract behind a pooler` {
  @Test(arguments: rules)
  func `in transaction mode`(_ rule: Rule) throws {
    try rule.check(SchemaFixture(server: .pooled))
  }
}
