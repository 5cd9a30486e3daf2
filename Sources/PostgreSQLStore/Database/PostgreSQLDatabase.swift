import Foundation
import PostgreSQLClient
import StoreProtocol

/// A PostgreSQL database with many stores, such as one for each tenant of a service.
///
/// Each store is a schema of the database. All of them share one pool of connections, so that an
/// open store costs memory only.
///
/// ```swift
/// let database = try PostgreSQLDatabase(url: "postgres://shop@host/shop", schema: schema)
/// try database.createStore(named: "tenant-7")
/// let configuration = try database.configuration(ofStore: "tenant-7")
/// let container = try ModelContainer(for: schema, configurations: configuration)
/// ```
///
/// A save, a query and a transaction are of one store.
public struct PostgreSQLDatabase: Sendable {
  /// The models of new stores.
  public let schema: Schema?
  /// The maximum time that one call waits for the server.
  public let timeout: Duration
  let pool: ConnectionPool
  /// The server that creates and changes tables, or `nil` if it is that of the pool.
  private let definitionConnection: ConnectionConfiguration?

  /// Creates a description of a database at a URL without a schema, such as
  /// `postgres://user@host:5432/database`.
  ///
  /// - Parameters:
  ///   - url: The database. The process's stores with the same URL share its pool.
  ///   - schema: The models of new stores.
  ///   - timeout: The maximum time that one call to a store waits for the server.
  ///   - connectionLimit: The maximum number of connections, unless stores of the database are
  ///     already open.
  /// - Throws: ``DataStoreError/invalidConfiguration`` if the URL is invalid or names a schema.
  public init(
    url: String,
    schema: Schema? = nil,
    timeout: Duration = .seconds(30),
    connectionLimit: Int = 32
  ) throws {
    var parsed: ConnectionURL
    do { parsed = try ConnectionURL(url) } catch { throw error.storeError(at: "PostgreSQL") }
    let definitionConnection = try parsed.removeDefinitionConnection()
    guard parsed.schema == nil, parsed.others.isEmpty else {
      throw DataStoreError(
        .invalidConfiguration,
        parsed.others.keys.min().map { "the URL has the unknown parameter \($0)" }
          ?? "the URL of a database names no schema; remove ?schema="
      )
    }
    self.init(
      parsed.configuration,
      definitions: definitionConnection,
      schema: schema,
      timeout: timeout,
      connectionLimit: connectionLimit
    )
  }

  package init(
    _ connection: ConnectionConfiguration,
    definitions definitionConnection: ConnectionConfiguration? = nil,
    schema: Schema? = nil,
    timeout: Duration = .seconds(30),
    connectionLimit: Int = 32
  ) {
    self.schema = schema
    self.timeout = timeout
    pool = .shared(connection, limit: connectionLimit)
    self.definitionConnection = definitionConnection
  }

  /// Returns the configuration of a store, which must exist when it is opened.
  ///
  /// The store is opened with the container's models, or without a container with its own.
  ///
  /// - Throws: ``DataStoreError/invalidConfiguration`` if the name is empty, contains U+0000, or has
  ///   more than 63 bytes.
  public func configuration(ofStore name: String) throws -> PostgreSQLStoreConfiguration {
    var configuration = try PostgreSQLStoreConfiguration(
      pool.configuration,
      definitions: definitionConnection,
      databaseSchema: name
    )
    configuration.timeout = timeout
    configuration.createsStore = false
    return configuration
  }

  /// Creates a store with the database's models, unless it exists.
  ///
  /// An existing store with other models is migrated to these if that needs no code.
  ///
  /// - Throws: ``DataStoreError/invalidConfiguration`` for a new store if the database has no
  ///   ``schema``; errors of opening the store.
  public func createStore(named name: String) throws {
    var configuration = try configuration(ofStore: name)
    configuration.schema = schema
    configuration.createsStore = true
    _ = try PostgreSQLStore(configuration)
  }

  /// Moves a store to another node of a Citus cluster; programs can use it meanwhile.
  ///
  /// - Parameters:
  ///   - name: The name of the store.
  ///   - node: The host and port of the node, as in ``PostgreSQLStoreSummary/node``.
  /// - Throws: ``DataStoreError/invalidConfiguration`` if the database is not distributed, or its
  ///   server is not the coordinator; ``DataStoreError/io`` if the store cannot be moved.
  public func move(storeNamed name: String, to node: String) throws {
    let configuration = try configuration(ofStore: name).forDefinitions()
    guard !configuration.features.contains(.equalNodes), let colon = node.lastIndex(of: ":"),
      let port = Int32(node[colon...].dropFirst())
    else {
      throw DataStoreError(
        .invalidConfiguration,
        "a store can be moved to a node, such as host:5432, if the database has the extension citus",
        file: configuration.name
      )
    }
    let session = try Session(configuration)
    try session.defining {
      try session.read(isAlone: true) { connection in
        // It copies all data.
        connection.deadline = .after(.seconds(86_400))
        try connection.run(
          Statement(
            "SELECT citus_schema_move(quote_ident($1)::regnamespace, $2, $3)",
            [Parameter(name), Parameter(String(node[..<colon])), Parameter(port)]
          )
        )
      }
    }
  }

  /// Drops a store with all its data and its schema, irrevocably.
  ///
  /// - Parameter store: The store as ``stores()`` returned it.
  /// - Throws: ``DataStoreError/conflict`` if the store was saved to since, or another one has its
  ///   name; ``DataStoreError/notSaved`` if the schema contains anything else. The store is then
  ///   unchanged.
  public func drop(_ store: PostgreSQLStoreSummary) throws {
    let configuration = try configuration(ofStore: store.name)
    guard try PostgreSQLStore.remove(configuration, as: store) else {
      throw DataStoreError(
        .conflict,
        "the store is not in the state in which it was listed; list the stores again",
        file: configuration.name
      )
    }
  }
}
