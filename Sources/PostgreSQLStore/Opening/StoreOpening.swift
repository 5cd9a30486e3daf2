import Foundation
import PostgreSQLClient
import StoreProtocol

/// Opens the store in a schema of the database, or creates it there.
struct StoreOpening {
  /// The contents of `_meta`, with settings of the server.
  struct Stored {
    let format: Int64
    let identifier: String
    let map: SchemaMap
    let structure: Int64
    let durability: StoreCapabilities.Durability
    let features: ServerFeatures
    /// Whether statements that are executed together outside of a transaction read one state.
    ///
    /// They do unless the default isolation level is `READ COMMITTED`.
    let repeatsReads: Bool
    /// Whether there is a copy of the store, of a migration that is in progress or was killed.
    let hasCopy: Bool
    /// The numbers of the next save, or `nil` if they were not read.
    var next: SaveNumbers?
  }

  /// The version of the tables' format.
  ///
  /// The first one has no identifiers of saves in `_meta`, and no times by the server's clock in
  /// `_history`.
  private static let format: Int64 = 2

  private let configuration: PostgreSQLStoreConfiguration
  private let connection: Connection
  private let space: String

  init(_ configuration: PostgreSQLStoreConfiguration, _ connection: Connection) throws {
    self.configuration = configuration
    self.connection = connection
    space = try SQLName.quoted(configuration.databaseSchema)
  }

  /// Returns the store if it has the configuration's schema, in one round trip without a
  /// transaction, or `nil`.
  func matching() throws -> Stored? {
    do {
      let found = try connection.rows(
        of: selection(also: SaveNumbers.lastColumns),
        ifExists: "\(space)._meta"
      )
      guard found.rowCount > 0 else { return nil }
      var stored = try stored(found)
      guard stored.format == Self.format else { return nil }
      stored.next = try SaveNumbers(following: found)
      let schema = schema(keepingVersionOf: stored)
      return schema.map { $0 == stored.map.schema } ?? true ? stored : nil
    } catch let error as PostgreSQLError where error.kind == .undefinedObject {
      return nil
    }
  }

  /// Opens the store in a transaction, and migrates it to the configuration's schema or creates it.
  func run() throws -> Stored {
    try configuration.schema?.storeSchema.validate()
    if let opened = try existing() { return opened }
    guard configuration.createsStore else {
      throw failure(.storeNotFound, "the database has no store of this name; create it first")
    }
    // If two programs create a store at once, the second one finds that of the first.
    if configuration.features.contains(.advisoryLocks) {
      try connection.run(
        Statement(
          "SELECT pg_advisory_xact_lock(hashtextextended($1, 0))::text",
          [Parameter(configuration.databaseSchema)]
        )
      )
    }
    if let opened = try existing() { return opened }
    try create()
    var stored = try stored(connection.run(Statement(selection())))
    stored.next = SaveNumbers(save: 1, nextKey: 1)
    return stored
  }

  /// Opens the existing store, and migrates it to the configuration's schema.
  private func existing() throws -> Stored? {
    guard let stored = try upgraded() else { return nil }
    guard let schema = schema(keepingVersionOf: stored), schema != stored.map.schema else {
      return stored
    }
    try SchemaDifference(from: stored.map.schema, to: schema)
      .requireNoLaterVersion(file: configuration.name)
    let map = StoreMap(stored.map, storeIdentifier: stored.identifier, space: space)
    _ = try StructureRun(
      old: map,
      features: stored.features,
      connection: connection,
      name: configuration.name
    )
    .run(through: [StructureChange(to: schema)])
    return try self.stored()
  }

  /// Returns the contents of `_meta` after an upgrade of the tables' format, or `nil` if there is no
  /// store.
  ///
  /// It prevents saves until the end of the transaction.
  func upgraded() throws -> Stored? {
    guard let stored = try stored(locked: true) else { return nil }
    if stored.format < Self.format {
      try connection.run([
        Statement("ALTER TABLE \(space)._history ADD COLUMN stored_at float8"),
        Statement("ALTER TABLE \(space)._meta ADD COLUMN save uuid, ADD COLUMN previous_save uuid"),
        Statement("UPDATE \(space)._meta SET format = $1", [Parameter(Self.format)]),
      ])
    }
    return stored
  }

  /// Returns the configuration's schema, with the version of the store if that stores the same data.
  private func schema(keepingVersionOf stored: Stored) -> StoreSchema? {
    configuration.schema?.storeSchema.keepingVersion(of: stored.map.schema)
  }

  /// Returns the contents of `_meta`, or `nil` if there is no store.
  ///
  /// - Parameter isLocked: Whether to prevent saves until the end of the transaction.
  /// - Returns: The contents of `_meta`.
  /// - Throws: ``DataStoreError/storeDamaged`` and ``DataStoreError/storeTooNew``.
  func stored(locked isLocked: Bool = false) throws -> Stored? {
    // Functions such as to_regclass may not yet see what another transaction created for whose lock
    // this one waited: they read caches, which the wait for an advisory lock does not refresh.
    let found = try connection.run(
      Statement(
        "SELECT EXISTS (SELECT 1 FROM pg_catalog.pg_class AS c JOIN pg_catalog.pg_namespace AS n "
          + "ON n.oid = c.relnamespace WHERE n.nspname = $1 AND c.relname = '_meta')",
        [Parameter(configuration.databaseSchema)]
      )
    )
    guard try found.value(0, 0, as: Bool.self) == true else { return nil }
    let lock = isLocked ? " FOR UPDATE" : ""
    return try stored(connection.run(Statement(selection() + lock)))
  }

  private func selection(also columns: String = "") throws -> String {
    let copy = SQLName.literal(try configuration.copy().databaseSchema)
    return "SELECT format, identifier, schema, structure, current_setting('fsync', true), "
      + "current_setting('synchronous_commit', true), \(Self.engine), "
      + "current_setting('default_transaction_isolation', true), "
      + "EXISTS (SELECT 1 FROM pg_namespace WHERE nspname = \(copy))\(columns) FROM \(space)._meta"
  }

  /// Selects the version of the server, and whether the database has the extension Citus.
  private static let engine = "version(), to_regproc('pg_catalog.citus_version') IS NOT NULL"

  /// Returns the features that the server and the configuration have.
  func features() throws -> ServerFeatures {
    try features(connection.run(Statement("SELECT \(Self.engine)")), 0)
  }

  private func stored(_ result: QueryResult) throws -> Stored {
    guard result.rowCount == 1, let format = try result.value(0, 0, as: Int64.self),
      let identifier = try result.value(0, 1, as: UUID.self),
      let text = try result.value(0, 2, as: String.self),
      let structure = try result.value(0, 3, as: Int64.self)
    else { throw failure(.storeDamaged, "the store's table _meta does not have exactly one row") }
    guard format <= Self.format else {
      throw failure(.storeTooNew, "the store has the format \(format); use a newer version")
    }
    let syncs = try result.value(0, 4, as: String.self) != "off"
    let waits = try result.value(0, 5, as: String.self) != "off"
    let features = try features(result, 6)
    let isolation = try result.value(0, 8, as: String.self) ?? "read committed"
    do {
      return Stored(
        format: format,
        identifier: identifier.uuidString,
        map: try SchemaMap.shared(text, expected: configuration.schema?.storeSchema),
        structure: structure,
        durability: syncs ? waits ? .full : .relaxed : .none,
        features: features,
        repeatsReads: features.contains(.weakIsolation) && isolation != "read committed",
        hasCopy: try result.value(0, 9, as: Bool.self) ?? false
      )
    } catch let error as DataStoreError {
      throw error
    } catch {
      let message = "the store's schema cannot be read; restore a backup"
      throw failure(
        .storeDamaged,
        message,
        cause: SwiftDataError.unknownDataStoreSchema.with(message)
      )
    }
  }

  private func create() throws {
    guard let schema = configuration.schema?.storeSchema else {
      throw failure(
        .invalidConfiguration,
        "the store does not exist; correct the URL, or set the configuration's schema to create it"
      )
    }
    let features = configuration.features
    // The new schema is on one node.
    let placement =
      features.contains(.equalNodes) ? [] : ["SET LOCAL citus.enable_schema_based_sharding = on"]
    let definitions = placement + ["CREATE SCHEMA IF NOT EXISTS \(space)"] + ownDefinitions
    let tables = try SchemaMap(schema).sortedTables.flatMap { $0.definitions(features) }
    try connection.run((definitions + tables).map { Statement($0) })
    try connection.run(
      Statement(
        "INSERT INTO \(space)._meta (format, identifier, schema) VALUES ($1, $2, $3)",
        [
          Parameter(Self.format), Parameter(StoreEnvironment.current.makeUUID()),
          Parameter(try schema.storedText),
        ]
      )
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
      last_save int8 NOT NULL DEFAULT 0, save uuid, previous_save uuid, next_key int8 NOT NULL DEFAULT 1, \
      history_cut int8 NOT NULL DEFAULT 0, history_cut_save uuid)
      """,
      """
      CREATE TABLE \(space)._history (number int8 PRIMARY KEY, save uuid, at float8 NOT NULL, \
      author text, origin text NOT NULL, bundle text NOT NULL, process text NOT NULL, \
      size int8 NOT NULL, groups json NOT NULL, stored_at float8)
      """,
      "CREATE TABLE \(space)._saves (save uuid PRIMARY KEY, number int8, at float8 NOT NULL)",
      """
      CREATE TABLE \(space)._readers (name text COLLATE "C" PRIMARY KEY, number int8 NOT NULL, \
      save uuid, at float8 NOT NULL)
      """,
    ]
  }

  private func features(_ result: QueryResult, _ column: Int) throws -> ServerFeatures {
    let version = try result.value(0, column, as: String.self) ?? ""
    let hasCitus = try result.value(0, column + 1, as: Bool.self) ?? false
    return configuration.features.intersection(
      ServerFeatures(version: version, hasCitus: hasCitus)
    )
  }

  private func failure(
    _ kind: DataStoreError,
    _ message: String,
    cause: (any Error)? = nil
  ) -> DataStoreError {
    DataStoreError(kind, message, file: configuration.name, cause: cause)
  }
}
