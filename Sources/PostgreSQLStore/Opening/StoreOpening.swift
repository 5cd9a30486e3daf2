import Foundation
import PostgreSQLClient
import RowChanges
import StoreProtocol

/// Opens the store in a schema of the database, or creates it there.
struct StoreOpening {
  /// The properties of an opened store.
  struct Opened {
    let schema: Schema
    let identifier: String
    let structure: Int64
    let durability: StoreCapabilities.Durability
    let features: ServerFeatures
  }

  /// The contents of `_meta`.
  struct Stored {
    let identifier: String
    let schema: StoreSchema
    let structure: Int64
  }

  /// The version of the tables' format.
  private static let format: Int64 = 1

  private let configuration: PostgreSQLStoreConfiguration
  private let connection: Connection
  private let space: String

  init(_ configuration: PostgreSQLStoreConfiguration, _ connection: Connection) throws {
    self.configuration = configuration
    self.connection = connection
    space = try SQLName.quoted(configuration.databaseSchema)
  }

  func run() throws -> Opened {
    try configuration.schema?.storeSchema.validate()
    let server = try self.server()
    if let opened = try existing(server) { return opened }
    // If two programs create a store at once, the second one finds that of the first.
    if server.features.contains(.advisoryLocks) {
      try connection.run(
        Statement(
          "SELECT pg_advisory_xact_lock(hashtextextended($1, 0))::text",
          [Parameter(configuration.databaseSchema)]
        )
      )
    }
    return try existing(server) ?? create(server)
  }

  /// Opens the existing store, and migrates it to the configuration's schema.
  private func existing(_ server: Server) throws -> Opened? {
    guard var stored = try stored() else { return nil }
    if let schema = configuration.schema?.storeSchema, schema != stored.schema {
      guard let locked = try self.stored(locked: true) else { return nil }
      stored = locked
      if schema != stored.schema {
        let map = try StoreMap(stored.schema, storeIdentifier: stored.identifier, space: space)
        _ = try StructureRun(old: map, connection: connection, name: configuration.name)
          .run(through: [StructureChange(to: schema)])
        stored = Stored(
          identifier: stored.identifier,
          schema: schema,
          structure: stored.structure + 1
        )
      }
    }
    return Opened(
      schema: configuration.schema ?? Schema(storeSchema: stored.schema),
      identifier: stored.identifier,
      structure: stored.structure,
      durability: server.durability,
      features: server.features
    )
  }

  /// Returns the contents of `_meta`, or `nil` if there is no store.
  ///
  /// - Parameter isLocked: Whether to prevent saves until the end of the transaction.
  /// - Returns: The contents of `_meta`.
  /// - Throws: ``DataStoreError/storeDamaged`` and ``DataStoreError/storeTooNew``.
  func stored(locked isLocked: Bool = false) throws -> Stored? {
    let found = try connection.run(
      Statement("SELECT to_regclass($1) IS NOT NULL", [Parameter("\(space)._meta")])
    )
    guard try found.value(0, 0, as: Bool.self) == true else { return nil }
    let columns = "format, identifier, schema, structure"
    let lock = isLocked ? " FOR UPDATE" : ""
    let result = try connection.run(Statement("SELECT \(columns) FROM \(space)._meta\(lock)"))
    guard result.rowCount == 1, let format = try result.value(0, 0, as: Int64.self),
      let identifier = try result.value(0, 1, as: UUID.self),
      let text = try result.value(0, 2, as: String.self),
      let structure = try result.value(0, 3, as: Int64.self)
    else { throw failure(.storeDamaged, "the store's table _meta does not have exactly one row") }
    guard format <= Self.format else {
      throw failure(.storeTooNew, "the store has the format \(format); use a newer version")
    }
    do {
      return Stored(
        identifier: identifier.uuidString,
        schema: try JSONDecoder().decode(StoreSchema.self, from: Data(text.utf8)),
        structure: structure
      )
    } catch let error as DataStoreError {
      throw error
    } catch {
      throw failure(.storeDamaged, "the store's schema cannot be read; restore a backup")
    }
  }

  private func create(_ server: Server) throws -> Opened {
    guard let schema = configuration.schema else {
      throw failure(
        .invalidConfiguration,
        "a new store needs a schema; set the configuration's schema"
      )
    }
    let identifier = StoreEnvironment.current.makeUUID()
    let map = try StoreMap(
      schema.storeSchema,
      storeIdentifier: identifier.uuidString,
      space: space
    )
    let text = try schema.storeSchema.storedText
    let definitions = ["CREATE SCHEMA IF NOT EXISTS \(space)"] + ownDefinitions
    try connection.run(
      (definitions + map.sortedTables.flatMap(\.definitions)).map { Statement($0) }
    )
    try connection.run(
      Statement(
        "INSERT INTO \(space)._meta (format, identifier, schema) VALUES ($1, $2, $3)",
        [Parameter(Self.format), Parameter(identifier), Parameter(text)]
      )
    )
    return Opened(
      schema: schema,
      identifier: identifier.uuidString,
      structure: 0,
      durability: server.durability,
      features: server.features
    )
  }

  /// The names of the store's own tables, which do not depend on the schema.
  static let ownTables = ["_meta", "_history", "_saves", "_readers"]

  /// The definitions of the store's own tables.
  private var ownDefinitions: [String] {
    [
      """
      CREATE TABLE \(space)._meta (id int8 PRIMARY KEY DEFAULT 1 CHECK (id = 1), \
      format int8 NOT NULL, identifier uuid NOT NULL, schema text NOT NULL, \
      structure int8 NOT NULL DEFAULT 0, \
      last_save int8 NOT NULL DEFAULT 0, next_key int8 NOT NULL DEFAULT 1, \
      history_cut int8 NOT NULL DEFAULT 0, history_cut_save uuid)
      """,
      """
      CREATE TABLE \(space)._history (number int8 PRIMARY KEY, save uuid, at float8 NOT NULL, \
      author text, origin text NOT NULL, bundle text NOT NULL, process text NOT NULL, \
      size int8 NOT NULL, groups json NOT NULL)
      """,
      "CREATE TABLE \(space)._saves (save uuid PRIMARY KEY, number int8, at float8 NOT NULL)",
      """
      CREATE TABLE \(space)._readers (name text COLLATE "C" PRIMARY KEY, number int8 NOT NULL, \
      save uuid, at float8 NOT NULL)
      """,
    ]
  }

  /// The properties of a server.
  private struct Server {
    /// The durability of commits with the server's settings.
    let durability: StoreCapabilities.Durability
    let features: ServerFeatures
  }

  private func server() throws -> Server {
    let settings = "current_setting('fsync', true), current_setting('synchronous_commit', true)"
    let result = try connection.run(Statement("SELECT \(settings), version()"))
    let isRelaxed = try result.value(0, 1, as: String.self) == "off"
    let version = try result.value(0, 2, as: String.self) ?? ""
    return Server(
      durability: try result.value(0, 0, as: String.self) == "off"
        ? .none : isRelaxed ? .relaxed : .full,
      features: configuration.features.intersection(ServerFeatures(version: version))
    )
  }

  private func failure(_ code: DataStoreError.Code, _ message: String) -> DataStoreError {
    DataStoreError(code, message, file: configuration.name)
  }
}

extension StoreSchema {
  /// The schema as text for `_meta`.
  var storedText: String {
    get throws {
      let encoder = JSONEncoder()
      encoder.outputFormatting = .sortedKeys
      return String(decoding: try encoder.encode(self), as: UTF8.self)
    }
  }
}
