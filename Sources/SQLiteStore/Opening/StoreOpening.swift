import Foundation
import StoreFiles
import StoreProtocol

/// Opens the database of a configuration: creates it, or checks it and migrates it to the schema.
///
/// A refused file is not changed: the checks come before the first write, and the journal mode is
/// set after them. All of it runs under the sidecar lock.
struct StoreOpening {
  /// An open store's parts.
  struct Opened {
    let database: Database
    let map: SchemaMap
    let identifier: String
    let fingerprint: String
    /// The schema that was found or created, for a configuration that has none.
    let schema: Schema
  }

  let configuration: SQLiteStoreConfiguration

  func open() throws -> Opened {
    try configuration.validate()
    return try StoreErrors.translating(.opening, file: configuration.file?.path) {
      guard let url = configuration.file else { return try openInMemory() }
      if !configuration.createsFolder { try Folder.checkPresence(of: url.path) }
      let file = try file(at: url.path, makesFolder: configuration.allowsSave)
      return try configuration.allowsSave ? openForWriting(file) : openForReading(file)
    }
  }

  func file(at path: String, makesFolder: Bool) throws -> DatabaseFile {
    try DatabaseFile(
      path: path,
      makesFolder: makesFolder,
      patience: Int(configuration.busyTimeout * 1_000),
      access: configuration.access
    )
  }

  func options(
    _ file: DatabaseFile?,
    _ role: ConnectionOptions.Role = .writer,
    files: ValueFiles? = nil
  ) -> ConnectionOptions {
    ConnectionOptions(
      location: file.map { .file($0.path) } ?? .memory,
      role: role,
      synchronous: configuration.durability.synchronous,
      busyTimeout: Int32(configuration.busyTimeout * 1_000),
      cacheSize: configuration.cacheSize,
      log: configuration.log,
      file: file,
      fileSystem: configuration.fileSystem,
      files: files
    )
  }

  private func openInMemory() throws -> Opened {
    let connection = try Connection(options(nil))
    return try prepared(connection, nil, nil)
  }

  private func openForWriting(_ file: DatabaseFile) throws -> Opened {
    if let objection = try file.folder.objectionToWriting() { throw objection }
    // No files are created for a file that is refused.
    let found = try claim(file, for: .updating)
    if found == nil { _ = try requiredSchema() }
    let lock = try releasing(found) { try file.lock(waiting: file.patience) }
    defer { withExtendedLifetime(lock) {} }
    return try connecting(to: file, found: found, makes: true) { connection, hold in
      try prepared(connection, file, hold)
    }
  }

  private func openForReading(_ file: DatabaseFile) throws -> Opened {
    guard let hold = try claim(file, for: .reading) else {
      throw DataStoreError(
        .storeNotFound,
        "the store does not exist, and a read-only configuration cannot create it",
        file: file.path
      )
    }
    hold.noteConnection()
    return try releasing(hold, isConnected: true) {
      let connection = try readingConnection(to: file, hold)
      do {
        return try prepared(connection, file, hold)
      } catch {
        connection.close()
        throw error
      }
    }
  }

  /// Opens an existing file for reading, also where SQLite can create no files.
  private func readingConnection(to file: DatabaseFile, _ hold: DatabaseHold) throws -> Connection {
    var options = options(file, .readOnlyFile, files: files(of: file))
    do throws(SQLiteError) {
      return try Connection(options)
    } catch {
      guard error.kind == .readOnly || error.kind == .cannotOpen else { throw error }
      // SQLite would create an index for a log that does not exist. The lock keeps out those who
      // open the store for writing elsewhere, such as outside of a read-only mount.
      try hold.takeLocks(of: file)
      let mayChange = try file.hasLogOrIndex()
      guard hold.hasLocks, !mayChange else { throw error }
    }
    options.isImmutable = true
    return try Connection(options)
  }

  func files(of file: DatabaseFile) -> ValueFiles {
    ValueFiles(
      of: file.name,
      in: file.folder,
      policy: configuration.durability == .none ? .system : .disk,
      maximumSize: configuration.maximumExternalValueSize
    )
  }

  /// Checks, creates or changes the tables, and then passes the connection to the database.
  private func prepared(
    _ connection: Connection,
    _ file: DatabaseFile?,
    _ hold: DatabaseHold?
  ) throws -> Opened {
    let metadata: Metadata
    let schema: Schema
    if let found = try check(connection) {
      schema =
        configuration.schema?.keepingVersion(of: found.schema)
        ?? Schema(storeSchema: found.schema)
      if configuration.allowsSave { try prepareLog(file, hold, on: connection) }
      metadata = try change(found, to: schema.storeSchema, on: connection)
    } else {
      guard configuration.allowsSave else {
        throw DataStoreError(.io, "the store is empty and cannot be initialized", file: file?.path)
      }
      schema = try requiredSchema()
      let map = try SchemaMap(schema.storeSchema)
      try connection.enterWAL()
      metadata = try connection.transaction { try make(map, on: connection) }
      // Value files are named after the store. If a power loss removed the store and left them,
      // their owner could no longer be determined.
      if configuration.durability == .relaxed, map.hasFileColumns { connection.checkpoint() }
    }
    connection.options.files?.setOwner(metadata.identifier)
    // The first read after the change of the journal mode opens the log.
    let map = try completed(metadata, on: connection)
    let opened = try opened(file, hold, connection)
    try checkValueFiles(map, on: connection)
    return Opened(
      database: Database(
        connection,
        file: file,
        opened: opened,
        hasFiles: map.hasFileColumns,
        fingerprint: metadata.fingerprint
      ),
      map: map,
      identifier: metadata.identifier,
      fingerprint: metadata.fingerprint,
      schema: schema
    )
  }

  /// Returns the storage locations of a file that has been migrated to the schema.
  private func completed(_ metadata: Metadata, on connection: Connection) throws -> SchemaMap {
    let map = metadata.map
    var unversioned = metadata.unversioned
    if configuration.allowsSave, !unversioned.isEmpty {
      try connection.transaction { try VersionColumns(connection: connection).add(to: map) }
      unversioned = []
    }
    let live = try SearchIndexing(connection: connection).live(among: map.searchIndexes)
    let marks = try FileColumns.marks(on: connection)
    guard !live.isEmpty || !unversioned.isEmpty || !marks.isEmpty else { return map }
    return try SchemaMap(
      map.schema,
      searchIndexes: live,
      unversioned: unversioned,
      fileMarks: marks
    )
  }

  /// Checks the folder of large values, and removes the files that no row refers to.
  private func checkValueFiles(_ map: SchemaMap, on connection: Connection) throws {
    guard let files = connection.options.files else { return }
    do throws(FileError) {
      try files.checkFolder()
      if configuration.allowsSave { try files.syncExisting() }
    } catch {
      guard map.hasFileColumns else { return }
      throw ValueFileError(error).translated(entity: nil, property: nil)
    }
    if map.hasFileColumns {
      try files.requireFolder { try FileColumns.haveReferences(map, on: connection) }
    }
    // Files that cannot be removed now take up space and do nothing else.
    if configuration.allowsSave { try? FileColumns.sweep(files, map, on: connection) }
  }

  private func requiredSchema() throws -> Schema {
    guard let schema = configuration.schema else {
      throw failure(
        .invalidConfiguration,
        "the store does not exist yet and the configuration names no models; give it a schema"
      )
    }
    return schema
  }
}

extension StoreOpening {
  /// Checks that a file is a complete store of this engine.
  ///
  /// - Returns: The store's own data, or `nil` if the file is new, or was left between its creation
  ///   and its first commit.
  func check(_ connection: Connection) throws -> Metadata? {
    try connection.snapshot {
      let inspection = try SchemaInspection(of: connection)
      if inspection.isEmpty { return nil }
      try check(inspection)
      var metadata = try Metadata(from: connection)
      metadata.unversioned = try inspection.check(metadata.map)
      metadata.format = inspection.format
      return metadata
    }
  }

  private func check(_ inspection: SchemaInspection) throws {
    guard inspection.applicationID == FileFormat.applicationID else {
      throw failure(.storeNotTrusted, "the file is a database of another program")
    }
    let version = inspection.format
    guard version <= FileFormat.current else {
      throw failure(
        .storeTooNew,
        "the store has format \(version), newer than this program's; update it"
      )
    }
    // Otherwise the table would be created a second time, which fails after the log was
    // checkpointed.
    guard
      version >= FileFormat.firstWithHistory
        || inspection.sql(of: FileFormat.historyTable) == nil
    else {
      throw failure(
        .storeDamaged,
        "the store is marked as format \(version), but has the tables of a later one"
      )
    }
    guard inspection.sql(of: "OpenSwiftData") == Metadata.creation else {
      throw failure(.storeNotTrusted, "the file's own table differs from what the store creates")
    }
  }

  private func make(_ map: SchemaMap, on connection: Connection) throws -> Metadata {
    try connection.execute("PRAGMA application_id = \(FileFormat.applicationID)")
    try connection.execute("PRAGMA user_version = \(FileFormat.current)")
    try connection.execute(Metadata.creation)
    for table in map.tables { try connection.execute(map.creation(of: table)) }
    for join in map.joins { try connection.execute(map.creation(of: join)) }
    for index in try map.indexes() { try connection.execute(index.sql) }
    try SearchIndexing(connection: connection).update(to: map, from: nil)
    let identifier = StoreEnvironment.current.makeUUID().uuidString
    try Metadata.set(.identifier, to: identifier, on: connection)
    try Metadata.set(.nextKey, to: 1, on: connection)
    try Metadata.set(.saves, to: 0, on: connection)
    if configuration.durability == .none {
      try Metadata.set(.unsynced, to: 1, on: connection)
    }
    try HistoryTable.make(on: connection)
    let fingerprint = try Metadata.set(map.schema, on: connection)
    return Metadata(identifier: identifier, map: map, fingerprint: fingerprint)
  }

  /// Migrates a checked file to the program's schema if no code is needed.
  private func change(
    _ found: Metadata,
    to schema: StoreSchema,
    on connection: Connection
  ) throws -> Metadata {
    guard found.schema != schema else {
      guard configuration.allowsSave else { return found }
      if found.format < FileFormat.current {
        try connection.transaction { try FormatUpgrade(connection: connection).run(schema) }
      }
      let indexing = SearchIndexing(connection: connection)
      if try indexing.isDue(found.map) {
        try connection.transaction { try indexing.update(to: found.map, from: found.map) }
      }
      return found
    }
    let difference = SchemaDifference(from: found.schema, to: schema)
    try difference.requireNoLaterVersion(file: configuration.file?.path)
    guard configuration.allowsSave else {
      guard difference.isEmpty else {
        throw failure(
          .schemaMismatch,
          "the store has another schema and cannot be migrated read-only; "
            + difference.sentence
        )
      }
      return try found.migrated(to: schema, found.fingerprint)
    }
    let made = try migrate(found, through: [StructureChange(to: schema)], on: connection)
    return try found.migrated(to: schema, made.fingerprint)
  }

  /// Applies schema changes to a checked file, all or none.
  ///
  /// - Returns: The fingerprint of the last schema, and a report.
  func migrate(
    _ found: Metadata,
    through changes: [StructureChange],
    on connection: Connection,
    progress: @escaping StructureProgress = { _, _ in }
  ) throws -> (fingerprint: String, report: StructureReport) {
    var run = StructureRun(
      on: connection,
      identifier: found.identifier,
      file: configuration.file?.path,
      progress: progress
    )
    let fingerprint = try connection.withoutReferenceChecks {
      try connection.transaction {
        try FormatUpgrade(connection: connection).run(found.schema)
        return try run.run(changes, from: found.schema)
      }
    }
    return (fingerprint ?? found.fingerprint, run.report)
  }

  private func failure(_ kind: DataStoreError, _ message: String) -> DataStoreError {
    DataStoreError(kind, message, file: configuration.file?.path)
  }
}

extension StoreCapabilities.Durability {
  /// SQLite's setting: with a write-ahead log, FULL syncs each commit and NORMAL each checkpoint.
  fileprivate var synchronous: ConnectionOptions.Synchronous {
    switch self {
    case .full: .full
    case .relaxed: .normal
    case .none: .off
    }
  }
}
