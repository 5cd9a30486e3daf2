import Foundation
import PostgreSQLClient
import StoreProtocol

extension PostgreSQLStore: MigratableStore {
  public static func beginMigration(
    of configuration: PostgreSQLStoreConfiguration
  ) throws -> (any StoreMigration)? {
    try PostgreSQLMigration.begin(configuration)
  }
}

/// A migration of a store.
///
/// A transaction locks the store's row in `_meta` until the end; saves wait for it. It begins at once
/// if the store's schema is not the configuration's, otherwise with the first change.
final class PostgreSQLMigration: StoreMigration {
  private let configuration: PostgreSQLStoreConfiguration
  private let session: Session
  private var connection: Connection?
  /// Whether the store is or was locked.
  private var isLocked: Bool
  private let map: StoreMap
  private let features: ServerFeatures
  private var copy: PostgreSQLStoreConfiguration?
  private(set) var schema: StoreSchema

  /// Begins a migration, or returns `nil` if there is no store.
  static func begin(_ configuration: PostgreSQLStoreConfiguration) throws -> PostgreSQLMigration? {
    if configuration.schema != nil {
      let existing = try Session(configuration).read(isAlone: true) { connection in
        try StoreOpening(configuration, connection).matching()
      }
      if let existing {
        let configuration = try configuration.forDefinitions(existing.features)
        return PostgreSQLMigration(configuration, try Session(configuration), nil, existing)
      }
    }
    let configuration = try configuration.forDefinitions()
    let session = try Session(configuration)
    // Before the migration, which locks the row that the copy is made of.
    try session.defining {
      _ = try session.write { try StoreOpening(configuration, $0).upgraded() }
    }
    guard let (connection, found) = try lock(configuration, session) else { return nil }
    return PostgreSQLMigration(configuration, session, connection, found)
  }

  /// Locks the store on a connection of its own, or returns `nil` if there is no store.
  private static func lock(
    _ configuration: PostgreSQLStoreConfiguration,
    _ session: Session
  ) throws -> (Connection, StoreOpening.Stored)? {
    let connection = try session.connect()
    let opening = try StoreOpening(configuration, connection)
    let found = try session.translating(isSaving: true) {
      try connection.begin(configuration.writing)
      return try opening.stored(locked: true)
    }
    return found.map { (connection, $0) }
  }

  private init(
    _ configuration: PostgreSQLStoreConfiguration,
    _ session: Session,
    _ connection: Connection?,
    _ found: StoreOpening.Stored
  ) {
    self.configuration = configuration
    self.session = session
    self.connection = connection
    isLocked = connection != nil
    schema = found.map.schema
    features = found.features
    map = StoreMap(found.map, storeIdentifier: found.identifier, space: session.space)
  }

  deinit { end() }

  func changeStructure(
    through changes: [StructureChange],
    progress: @escaping StructureProgress
  ) throws -> StructureReport {
    guard let last = changes.last else { return StructureReport() }
    let report = try write { try run(on: $0, progress: progress).run(through: changes) }
    schema = last.schema
    return report
  }

  func violations(of change: StructureChange) throws -> [SchemaViolation] {
    let connection = try opened()
    return try session.translating(isSaving: true) {
      try run(on: connection).violations(of: change)
    }
  }

  private func run(
    on connection: Connection,
    progress: @escaping StructureProgress = { _, _ in }
  ) -> StructureRun {
    StructureRun(
      old: map,
      features: features,
      connection: connection,
      name: configuration.name,
      progress: progress
    )
  }

  /// Creates the copy in another schema of the database.
  func makeCopy() throws -> any DataStoreConfiguration {
    _ = try opened()
    let copy = try configuration.copy()
    let new = try SQLName.quoted(copy.databaseSchema)
    let names =
      StoreOpening.ownTables.map { "\(Statement.schema).\($0)" } + map.sortedTables.map(\.name)
    let statements =
      try Self.removal(of: copy) + ["CREATE SCHEMA \(new)"]
      + names.flatMap { name in
        let copied = Statement(name).inSchema(new).sql
        return [
          "CREATE TABLE \(copied) (LIKE \(name) INCLUDING ALL)",
          "INSERT INTO \(copied) SELECT * FROM \(name)",
        ]
      }
    try session.defining {
      try session.write { connection in
        for statement in statements { try connection.run(Statement(statement)) }
      }
    }
    self.copy = copy
    return copy
  }

  func replaceByCopy() throws {
    guard let copy else { throw closed() }
    let new = try SQLName.quoted(copy.databaseSchema)
    schema = try write { connection in
      guard let copied = try StoreOpening(copy, connection).stored()?.map else { throw closed() }
      var statements = map.sortedTables.map { "DROP TABLE \($0.name)" }
      statements += copied.tableNames(in: new).map { "ALTER TABLE \($0) SET SCHEMA \(map.space)" }
      // Waiting saves hold a lock of the store's own tables, which therefore remain.
      for table in StoreOpening.ownTables where table != "_meta" {
        statements.append("DELETE FROM \(map.space).\(table)")
        statements.append("INSERT INTO \(map.space).\(table) SELECT * FROM \(new).\(table)")
      }
      statements.append(
        """
        UPDATE \(map.space)._meta AS m SET schema = c.schema, structure = m.structure + 1, \
        last_save = c.last_save, save = c.save, previous_save = c.previous_save, next_key = c.next_key, history_cut = c.history_cut, \
        history_cut_save = c.history_cut_save FROM \(new)._meta AS c
        """
      )
      statements += try finalRemoval(of: copy)
      for statement in statements { try connection.run(Statement(statement)) }
      return copied.schema
    }
    self.copy = nil
  }

  func backup(to url: URL) throws {
    throw DataStoreError(
      .unsupportedFeature,
      "a PostgreSQL store cannot write a backup file; run pg_dump --schema="
        + "\(configuration.databaseSchema) first, and migrate without a backup",
      file: configuration.name
    )
  }

  func end() {
    connection?.close()
    connection = nil
    isLocked = true
    guard let copy else { return }
    self.copy = nil
    // The next opening removes a remaining copy.
    _ = try? session.write { connection in
      for statement in try finalRemoval(of: copy) { try connection.run(Statement(statement)) }
    }
  }

  /// Returns the statements that remove a copy at the end of its migration.
  ///
  /// The code of a stage reads the copy of a copy later. It is removed together with the copy.
  private func finalRemoval(of copy: PostgreSQLStoreConfiguration) throws -> [String] {
    configuration.isCopy ? [] : try Self.removal(of: copy)
  }

  /// Returns the statements that remove a copy, and the copy of it.
  private static func removal(of copy: PostgreSQLStoreConfiguration) throws -> [String] {
    try [copy.copy(), copy].map {
      "DROP SCHEMA IF EXISTS \(try SQLName.quoted($0.databaseSchema)) CASCADE"
    }
  }

  /// Removes the copy that a killed migration has left, if no migration is in progress.
  ///
  /// A store works beside the copy. After an error, a later opening removes it.
  static func removeRemains(
    of configuration: PostgreSQLStoreConfiguration,
    _ stored: StoreOpening.Stored
  ) {
    guard stored.hasCopy, !configuration.isCopy,
      let configuration = try? configuration.forDefinitions(stored.features),
      let session = try? Session(configuration)
    else { return }
    _ = try? session.write { connection in
      // A migration and a save keep the row locked.
      let row = try connection.run(
        Statement("SELECT 1 FROM \(session.space)._meta FOR UPDATE SKIP LOCKED")
      )
      guard row.rowCount == 1 else { return }
      for statement in try removalOfRemains(of: configuration, stored.identifier, connection) {
        try connection.run(Statement(statement))
      }
    }
  }

  /// Returns the statements that remove the copy of a store whose row is locked.
  ///
  /// A copy has the identifier of its store. Any other store with the copy's name stays.
  static func removalOfRemains(
    of configuration: PostgreSQLStoreConfiguration,
    _ identifier: String,
    _ connection: Connection
  ) throws -> [String] {
    let copy = try configuration.copy()
    let found = try StoreOpening(copy, connection).stored()
    return found?.identifier == identifier ? try removal(of: copy) : []
  }

  private func opened() throws -> Connection {
    if !isLocked, let (connection, found) = try Self.lock(configuration, session) {
      guard found.map.schema == schema else {
        throw DataStoreError(
          .schemaMismatch,
          "another program has migrated the store; begin the migration again",
          file: configuration.name
        )
      }
      self.connection = connection
      isLocked = true
    }
    guard let connection else { throw closed() }
    connection.deadline = .after(configuration.timeout)
    return connection
  }

  /// Runs a function that changes the store, commits, and releases the lock.
  ///
  /// After an error, the store is unchanged.
  private func write<Result>(_ body: (Connection) throws -> Result) throws -> Result {
    let connection = try opened()
    defer {
      connection.close()
      self.connection = nil
    }
    return try session.defining {
      try session.translating(isSaving: true) {
        let result = try body(connection)
        try connection.commit()
        return result
      }
    }
  }

  private func closed() -> DataStoreError {
    DataStoreError(
      .storeClosed,
      "the migration has ended; begin a new one",
      file: configuration.name
    )
  }
}
