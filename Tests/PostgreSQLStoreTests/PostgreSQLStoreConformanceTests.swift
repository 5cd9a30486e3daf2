import Foundation
import PostgreSQLClient
import PostgreSQLStore
import PostgreSQLTestSupport
import StoreConformance
import StoreProtocol
import StoreTestSupport
import Synchronization
import Testing

/// Stores in schemas of the private server, one schema for each store.
struct SchemaFixture: StoreFixture {
  /// The ways in which the server is used.
  enum Server {
    case direct
    /// Through PgBouncer in transaction mode, with two connections to the server.
    case pooled
    /// With the features of another engine only.
    case cockroachDB, yugabyteDB, citus
    /// The coordinator of a cluster in place of the private server.
    case cluster
  }

  static let clusterURL = ProcessInfo.processInfo.environment["COORDINATOR_URL"]

  private static let count = Atomic(0)

  /// A role whose transactions are serializable, as those of CockroachDB.
  private static let serializableRole = Result {
    let connection = try PrivateCluster.shared().connect()
    try connection.run(Statement("CREATE ROLE serializable LOGIN SUPERUSER"))
    try connection.run(
      Statement("ALTER ROLE serializable SET default_transaction_isolation = 'serializable'")
    )
    return "serializable"
  }

  var server = Server.direct
  /// Whether all results that COPY can read are read by it.
  var copies = false

  func makeLocation() throws -> PostgreSQLStoreConfiguration {
    let number = Self.count.add(1, ordering: .relaxed).newValue
    if server == .cluster, let url = Self.clusterURL {
      return try PostgreSQLStoreConfiguration(
        ConnectionURL(url).configuration,
        databaseSchema: "store \(number)"
      )
    }
    var connection =
      try server == .pooled
      ? PrivatePooler.shared().configuration() : PrivateCluster.shared().configuration()
    if server == .cockroachDB { connection.user = try Self.serializableRole.get() }
    var location = try PostgreSQLStoreConfiguration(connection, databaseSchema: "store \(number)")
    if copies { location.copiedRows = 0 }
    if server == .cockroachDB { location.features = .cockroachDB }
    if server == .yugabyteDB { location.features = .yugabyteDB }
    if server == .citus { location.features = .citus }
    return location
  }

  func open(_ location: PostgreSQLStoreConfiguration, schema: Schema?) throws -> PostgreSQLStore {
    var configuration = location
    configuration.schema = schema
    return try PostgreSQLStore(configuration)
  }

  func destroy(_ location: PostgreSQLStoreConfiguration) throws {
    try PostgreSQLStore.remove(location)
  }

  var hooks: Set<FixtureHook> { [.secondHandle, .replacement] }
}

/// The rules for all stores, and those for durable stores.
///
/// The test server does not sync, and reports that; the rules for durable stores hold nevertheless.
private let allRules: [Rule] =
  PrivateCluster.isAvailable
  ? ((try? Rule.all(for: SchemaFixture())) ?? [])
    + Rule.all.filter { rule in
      rule.needs.contains(.durability) && SchemaFixture().hooks.isSuperset(of: rule.hooks)
    } : []

private let randomRules = allRules.filter { $0.id.hasPrefix("RANDOM") }
private let otherRules = allRules.filter { !$0.id.hasPrefix("RANDOM") }

private let rules = Sweep.rules(allRules, turn: 4)

/// The rules for other ways to the same server, with one of the random rules of each kind.
///
/// The others have other seeds. A part has none of them.
private let rulesOfOtherWays = Sweep.part(
  otherRules + (Sweep.isWhole ? randomRules.filter { $0.id.hasSuffix("1") } : []),
  of: 80
)

private let areEnginesTested =
  ProcessInfo.processInfo.environment["OPENSWIFTDATA_ENGINES"] != nil

@Suite(
  .enabled(
    if: PrivateCluster.isAvailable || PrivateCluster.isRequired,
    "no PostgreSQL server is installed"
  )
)
struct `PostgreSQLStore keeps the store contract` {
  @Test func `the suite has more than 150 rules`() { #expect(rules.count > 150) }

  @Test(arguments: rules)
  func directly(_ rule: Rule) throws { try rule.check(SchemaFixture()) }

  /// Lists of producers name new rows by their keys alone; these become stored rows, or rows of the
  /// batch.
  @Test func `lists of producers with merged rows`() throws {
    func list(_ names: [(Int64, String)]) -> StoreValue {
      .identifiers(names.map(DifferentialRow.identifier))
    }
    let merged = DifferentialRow(
      51,
      "Tool",
      ["code": .string("c"), "peers": list([(51, "Tool"), (13, "Item")])]
    )
    try MachineCase([
      .save(MachineBatch(inserted: [DifferentialRow(41, "Tool", ["code": .string("c")])])),
      .save(MachineBatch(inserted: [merged], isProduced: true)),
    ])
    .check(SchemaFixture())
    let twins = [1, 11].map { DifferentialRow($0, "Drill", ["serial": .integer(11)]) }
    let holder = DifferentialRow(12, "Item", ["peers": list([(12, "Item"), (11, "Drill")])])
    try MachineCase([.save(MachineBatch(inserted: twins + [holder], isProduced: true))])
      .check(SchemaFixture())
  }

  @Test(arguments: rulesOfOtherWays)
  func `with the features of CockroachDB`(_ rule: Rule) throws {
    try rule.check(SchemaFixture(server: .cockroachDB))
  }

  /// Outside of CI, where time is short.
  @Test(
    .enabled(if: areEnginesTested, "OPENSWIFTDATA_ENGINES is not set"),
    arguments: rules
  )
  func `with the features of YugabyteDB`(_ rule: Rule) throws {
    try rule.check(SchemaFixture(server: .yugabyteDB))
  }

  /// Scripts/test-cluster tests Citus itself.
  @Test(
    .enabled(if: areEnginesTested, "OPENSWIFTDATA_ENGINES is not set"),
    arguments: rules
  )
  func `with the features of Citus`(_ rule: Rule) throws {
    try rule.check(SchemaFixture(server: .citus))
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
  @Test(arguments: rulesOfOtherWays)
  func `in transaction mode`(_ rule: Rule) throws {
    try rule.check(SchemaFixture(server: .pooled, copies: true))
  }
}
