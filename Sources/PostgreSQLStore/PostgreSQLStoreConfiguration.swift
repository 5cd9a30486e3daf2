import Foundation
import PostgreSQLClient
import StoreProtocol

/// The description of a store in a schema of a PostgreSQL database.
public struct PostgreSQLStoreConfiguration: DataStoreConfiguration, Sendable {
  /// The type of the configured store.
  public typealias Store = PostgreSQLStore

  /// The server, database and schema, without a password.
  public let name: String
  /// The models of the store; `nil` uses those that it was created with, or the container's.
  public var schema: Schema?
  /// The options of the store's history; they do not affect equality of configurations.
  public var history = HistoryOptions()
  /// The maximum time that one call to the store waits for the server.
  public var timeout: Duration = .seconds(30)
  /// A Boolean value that indicates whether opening creates a store that does not exist.
  public var createsStore = true
  /// The schema of the database that holds the store.
  public let databaseSchema: String
  private(set) var connection: ConnectionConfiguration
  /// The server that creates and changes tables, or `nil` if it is that of the connection.
  let definitionConnection: ConnectionConfiguration?
  /// The features of the server that the store may use; those that it lacks are never used.
  package var features = ServerFeatures.all
  /// Whether the store is a copy that a migration changes.
  private(set) var isCopy = false
  /// The number of rows from which a result is read by COPY, which is not worthwhile for fewer.
  package var copiedRows = 1000

  /// Creates the configuration of a store at a URL, such as
  /// `postgres://user@host:5432/database?schema=trips`.
  ///
  /// The remaining settings come from `PGHOST`, `PGUSER`, `~/.pgpass` and libpq's other sources.
  ///
  /// - Throws: ``DataStoreError/invalidConfiguration`` if the URL is invalid or names no schema.
  public init(url: String, schema: Schema? = nil) throws {
    try self.init(url: url, schema: schema, ignoring: [])
  }

  /// The names of the parameters that URLs can have.
  package static var parameters: [String] {
    ["ddlURL", "notify", "schema"] + ConnectionURL.parameters
  }

  /// Creates the configuration of a store at a URL, and ignores the named other parameters.
  package init(url: String, schema: Schema?, ignoring others: [String]) throws {
    var parsed: ConnectionURL
    var notifies = true
    do throws(PostgreSQLError) {
      parsed = try ConnectionURL(url)
      if let notify = parsed.others.removeValue(forKey: "notify") {
        notifies = try ConnectionURL.flag(notify, "notify")
      }
    } catch {
      throw error.storeError(at: "PostgreSQL")
    }
    for name in others { parsed.others[name] = nil }
    let definitionConnection = try parsed.removeDefinitionConnection()
    guard let databaseSchema = parsed.schema, parsed.others.isEmpty else {
      throw DataStoreError(
        .invalidConfiguration,
        parsed.schema == nil
          ? "the URL names no schema for the store; add ?schema= and a name"
          : "the URL has the unknown parameter \(parsed.others.keys.sorted()[0])"
      )
    }
    try self.init(
      parsed.configuration,
      definitions: definitionConnection,
      databaseSchema: databaseSchema,
      schema: schema
    )
    if !notifies { features.remove(.notifications) }
  }

  /// Creates the configuration of a store from the configuration of its connections.
  package init(
    _ connection: ConnectionConfiguration,
    definitions definitionConnection: ConnectionConfiguration? = nil,
    databaseSchema: String,
    schema: Schema? = nil
  ) throws {
    guard (try? SQLName.quoted(databaseSchema)) != nil else {
      throw DataStoreError(
        .invalidConfiguration,
        "a schema's name must have 1 to 63 bytes without U+0000; choose another name"
      )
    }
    name = "\(connection)?schema=\(databaseSchema)"
    self.connection = connection
    self.definitionConnection = definitionConnection
    self.databaseSchema = databaseSchema
    self.schema = schema
  }

  /// The options of transactions that change the store.
  var writing: TransactionOptions {
    var options = TransactionOptions(
      features.contains(.weakIsolation) ? .readCommitted : .serializable,
      lockTimeout: TransactionOptions.lockTimeout(within: timeout)
    )
    options.propagatesSettings = !features.contains(.equalNodes)
    return options
  }

  /// Returns the configuration at the server that creates and changes tables.
  ///
  /// - Parameter known: The features of the server, which are otherwise requested from it.
  /// - Returns: The configuration, with only the features that the server has.
  /// - Throws: Errors of the server.
  func forDefinitions(_ known: ServerFeatures? = nil) throws -> Self {
    var other = self
    other.connection = definitionConnection ?? connection
    let configuration = other
    other.features =
      try known
      ?? Session(configuration).read(isAlone: true) { connection in
        try StoreOpening(configuration, connection).features()
      }
    return other
  }

  /// Returns the configuration of the store's copy, which is in another schema of the database.
  func copy() throws -> Self {
    var copy = try Self(
      connection,
      definitions: definitionConnection,
      databaseSchema: SQLIdentifier.fitting("\(databaseSchema)~copy")
    )
    copy.history = history
    copy.timeout = timeout
    copy.features = features
    copy.isCopy = true
    // A new store in its place would have no rows.
    copy.createsStore = false
    return copy
  }

  /// Returns whether two configurations have the same server, database and schema.
  public static func == (lhs: Self, rhs: Self) -> Bool { lhs.name == rhs.name }

  /// Hashes the server, database and schema.
  public func hash(into hasher: inout Hasher) { hasher.combine(name) }
}

extension ConnectionURL {
  /// Removes the parameter `ddlURL`, and returns the connection to the server that it names.
  mutating func removeDefinitionConnection() throws -> ConnectionConfiguration? {
    guard let url = others.removeValue(forKey: "ddlURL") else { return nil }
    let parsed: ConnectionURL
    do { parsed = try ConnectionURL(url) } catch { throw error.storeError(at: "ddlURL") }
    guard parsed.schema == nil, parsed.others.isEmpty else {
      throw DataStoreError(
        .invalidConfiguration,
        "ddlURL has a parameter that is not one of connections; remove it"
      )
    }
    return parsed.configuration
  }
}
