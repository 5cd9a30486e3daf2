import Foundation
import OpenSwiftData

/// The stores of the workloads on a PostgreSQL server.
final class PostgreSQLScene {
  /// The distance between the program and the disk on which its saves are stored.
  enum Place {
    case local, disk, remote

    /// The addition to the title of a workload.
    var title: String {
      switch self {
      case .local: ""
      case .disk: ", with a disk of 3.3 ms, as where the target was set"
      case .remote: ", over a network of 0.5 ms, with a disk of 3 ms"
      }
    }
  }

  /// The URL of the server's database, or `nil` if there is none for the benchmark.
  static var serverURL: String? {
    ProcessInfo.processInfo.environment["POSTGRES_URL"].flatMap { $0.isEmpty ? nil : $0 }
  }

  /// The path of the server's Unix socket, or `nil` if it is reached in another way.
  static var serverSocket: String? {
    guard let url = serverURL.flatMap({ URLComponents(string: $0) }),
      let folder = url.queryItems?.first(where: { $0.name == "host" })?.value,
      folder.hasPrefix("/")
    else { return nil }
    return "\(folder)/.s.PGSQL.\(url.port ?? 5432)"
  }

  private let url: String
  private var network: SlowNetwork?
  private var count = 0
  private var filled: [Int: String] = [:]
  private let database: RawPostgreSQL

  init() throws {
    guard let url = Self.serverURL else { throw BenchmarkError("POSTGRES_URL is not set") }
    self.url = url
    database = try RawPostgreSQL(url)
  }

  /// Creates the stores of another database, as if the private server of `Scripts/benchmark` were a
  /// slower one.
  ///
  /// A commit takes 3 ms more, as on a disk that takes so long to sync. To a remote server, a round
  /// trip takes 0.5 ms more.
  init(from local: PostgreSQLScene, as place: Place) throws {
    guard let socket = Self.serverSocket, var other = URLComponents(string: local.url) else {
      throw BenchmarkError("POSTGRES_URL names no Unix socket")
    }
    let name = "benchmark_\(place)"
    try local.database.execute("SET client_min_messages = warning")
    try local.database.execute("DROP DATABASE IF EXISTS \(name)")
    try local.database.execute("CREATE DATABASE \(name)")
    try local.database.execute(
      """
      ALTER DATABASE \(name) SET commit_delay = 3000; \
      ALTER DATABASE \(name) SET commit_siblings = 0
      """
    )
    other.path = "/" + name
    if place == .remote {
      let network = try SlowNetwork(to: socket, delay: .microseconds(200))
      other.queryItems = other.queryItems?.map { item in
        item.name == "host" ? URLQueryItem(name: "host", value: network.folder) : item
      }
      self.network = network
    }
    url = other.string ?? ""
    database = try RawPostgreSQL(url)
  }

  /// The version of the server, as "15.18".
  static var serverVersion: String? {
    guard let version = serverURL.flatMap({ try? RawPostgreSQL($0).serverVersion }) else {
      return nil
    }
    return "\(version / 10_000).\(version % 10_000)"
  }

  /// Returns the configuration of the store in a schema of the database.
  func configuration(_ space: String) throws -> PostgreSQLStoreConfiguration {
    let url = "\(url)\(url.contains("?") ? "&" : "?")schema=\(space)"
    var configuration = try PostgreSQLStoreConfiguration(url: url, schema: Schema([Item.self]))
    // The control has no deadline either.
    configuration.timeout = .seconds(600)
    return configuration
  }

  /// Opens the store in a schema, or creates it.
  func container(_ space: String) throws -> ModelContainer {
    try ModelContainer(for: Item.self, configurations: configuration(space))
  }

  /// Connects to the tables of a store by hand.
  func byHand(_ space: String) throws -> RawPostgreSQLStore { try RawPostgreSQLStore(url, space) }

  /// Creates an empty store, and returns its schema.
  func emptyStore() throws -> String {
    count += 1
    let space = "benchmark\(count)"
    try drop(space)
    _ = try container(space)
    return space
  }

  /// Returns the schema of a store with some items, which other workloads read too.
  func store(rows: Int) throws -> String {
    if let space = filled[rows] { return space }
    let space = try newStore(rows: rows)
    filled[rows] = space
    return space
  }

  /// Creates a store with some items, and returns its schema.
  func newStore(rows: Int) throws -> String {
    let space = try emptyStore()
    let items = Record.first(rows).map { PlainItem($0) }
    try byHand(space).insert(items)
    try settle(space)
    return space
  }

  /// Returns many stores of the database; those of an earlier run are used again.
  func tenants(_ count: Int, named prefix: String) throws -> TenantStores {
    try TenantStores(
      PostgreSQLDatabase(url: url, schema: Schema([Item.self]), timeout: .seconds(600)),
      names: (0..<count).map { "\(prefix)\($0)" },
      counting: connection()
    )
  }

  /// Connects to the server by hand.
  func connection() throws -> RawPostgreSQL { try RawPostgreSQL(url) }

  /// Completes the server's work for earlier transactions.
  func settle(_ space: String) throws {
    try database.execute("VACUUM ANALYZE \(space).\"Item\"")
    try database.execute("CHECKPOINT")
  }

  func drop(_ space: String) throws {
    try database.execute("SET client_min_messages = warning")
    try database.execute("DROP SCHEMA IF EXISTS \(space) CASCADE")
  }
}
