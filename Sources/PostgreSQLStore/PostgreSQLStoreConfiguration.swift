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
  let connection: ConnectionConfiguration

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
  package static var parameters: [String] { ["schema"] + ConnectionURL.parameters }

  /// Creates the configuration of a store at a URL, and ignores the named other parameters.
  package init(url: String, schema: Schema?, ignoring others: [String]) throws {
    var parsed: ConnectionURL
    do { parsed = try ConnectionURL(url) } catch { throw error.storeError(at: "PostgreSQL") }
    for name in others { parsed.others[name] = nil }
    guard let databaseSchema = parsed.schema, parsed.others.isEmpty else {
      throw DataStoreError(
        .invalidConfiguration,
        parsed.schema == nil
          ? "the URL names no schema for the store; add ?schema= and a name"
          : "the URL has the unknown parameter \(parsed.others.keys.sorted()[0])"
      )
    }
    try self.init(parsed.configuration, databaseSchema: databaseSchema, schema: schema)
  }

  /// Creates the configuration of a store from the configuration of its connections.
  package init(
    _ connection: ConnectionConfiguration,
    databaseSchema: String,
    schema: Schema? = nil
  ) throws {
    guard (try? SQLName.quoted(databaseSchema)) != nil else {
      throw DataStoreError(
        .invalidConfiguration,
        "a schema has a name of 1 to 63 bytes without U+0000; give it another one"
      )
    }
    name = "\(connection)?schema=\(databaseSchema)"
    self.connection = connection
    self.databaseSchema = databaseSchema
    self.schema = schema
  }

  /// Returns the configuration of a store in another schema of the database.
  func inSchema(_ name: String) throws -> Self {
    var other = try Self(connection, databaseSchema: name, schema: schema)
    other.history = history
    other.timeout = timeout
    return other
  }

  /// Returns whether two configurations have the same server, database and schema.
  public static func == (lhs: Self, rhs: Self) -> Bool { lhs.name == rhs.name }

  /// Hashes the server, database and schema.
  public func hash(into hasher: inout Hasher) { hasher.combine(name) }
}
