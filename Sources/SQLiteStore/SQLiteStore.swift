import Foundation
import StoreFiles
import StoreHelpers
import StoreProtocol

/// A store in a SQLite database that other tools can read.
///
/// One table has an entity with all entities that inherit from it, in typed columns with the names
/// of the properties; Documentation/SQLiteFormat.md describes the rest. Reads run concurrently,
/// each on one state of the database. Saves run one after the other, including those of other
/// processes.
public final class SQLiteStore: RecordStore {
  /// The configuration of the store.
  public typealias Configuration = SQLiteStoreConfiguration

  /// The UUID that was assigned to the store when it was created.
  public let identifier: String
  /// The models of the store, or those of the file if the configuration has none.
  public let schema: Schema
  /// The configuration from which the store was created.
  public let configuration: SQLiteStoreConfiguration
  public let capabilities: StoreCapabilities
  /// The name of the configuration.
  public var name: String { configuration.name }

  let database: Database
  let catalog: Catalog
  let fingerprint: String

  /// Opens the store of a configuration, and creates it if there is none.
  ///
  /// A file with another schema is migrated to this one if that needs no code
  /// (``SchemaDifference``), in one transaction. A file that is refused is not changed.
  ///
  /// - Parameters:
  ///   - configuration: The location and the options.
  ///   - migrationPlan: The plan for migrating older data to the schema.
  /// - Throws: ``DataStoreError/schemaMismatch`` if code is needed or rows prevent the migration,
  ///   ``DataStoreError/storeTooNew``, ``DataStoreError/storeNotTrusted`` or
  ///   ``DataStoreError/storeDamaged`` for a file that this engine did not make or that is damaged,
  ///   ``DataStoreError/storeBusy`` if another process has locked the store, and
  ///   ``DataStoreError/io`` if the system refuses.
  public init(
    _ configuration: SQLiteStoreConfiguration,
    migrationPlan: (any SchemaMigrationPlan.Type)?
  ) throws {
    let opened = try StoreOpening(configuration: configuration).open()
    self.configuration = configuration
    schema = opened.schema
    identifier = opened.identifier
    fingerprint = opened.fingerprint
    database = opened.database
    catalog = try Catalog(opened.map, storeIdentifier: opened.identifier)
    capabilities = StoreCapabilities(
      filtering: .native,
      sorting: .native,
      uniqueness: .native,
      batchDelete: .native,
      history: configuration.history.content.support,
      migration: .native,
      concurrentProcesses: configuration.isStoredInMemoryOnly
        ? .unsupported("the data is in this process's memory") : .native,
      versions: .native,
      durability: configuration.isStoredInMemoryOnly ? .none : configuration.durability
    )
  }

  /// Returns all of a query or a selection, and all or nothing of a bulk change.
  ///
  /// The explanation has SQLite's plan; rows are counted up to a limit.
  public func plan(_ request: StorePlan.Request, explained: Bool) throws -> StorePlan {
    if case .change(let change) = request { return try plan(of: change) }
    return StorePlan(allOf: request, explanation: explained ? try explanation(of: request) : nil)
  }

  public func apply(_ changes: StoreChanges) throws -> StoreChangesResult {
    // The store may lack no other feature that a batch can require.
    if !changes.readers.isEmpty { try check(changes) }
    guard let companion = SaveCompanion.current, companion.joins(saveOf: self) else {
      let save = { [self] (files: ValueFileBatch?) in
        try database.writeInGroup(changes.saveIdentifier, rowCount: changes.rowCount) {
          [self] connection in
          // An earlier attempt may have written some.
          files?.restart()
          let result = try write(changes, connection, files)
          try files?.syncNames()
          return result
        }
      }
      return try database.files == nil ? save(nil) : withFiles(save)
    }
    let result = try save(changes.saveIdentifier) { connection, files in
      let result = try write(changes, connection, files)
      try companion.run { (body: (SQLiteConnection) throws -> Void) in
        if !connection.isSaveInHistory { try connection.countSave() }
        try connection.beginSave()
        try run(body, on: connection)
      }
      return result
    }
    companion.finish()
    return result
  }

  private func write(
    _ changes: StoreChanges,
    _ connection: Connection,
    _ files: ValueFileBatch?
  ) throws -> StoreChangesResult {
    let writer = ChangeWriter(
      changes,
      catalog: catalog,
      connection: connection,
      files: files,
      history: configuration.history
    )
    return try writer.apply(changes)
  }

  /// Runs a body in a transaction of its own with the files of large values that it writes and
  /// releases.
  func save<Result>(
    _ identifier: UUID = UUID(),
    checksReferences: Bool = true,
    _ body: (Connection, ValueFileBatch?) throws -> Result
  ) throws -> Result {
    try withFiles { files in
      try database.write(identifier, checksReferences: checksReferences) { connection in
        let result = try body(connection, files)
        try files?.syncNames()
        return result
      }
    }
  }

  /// Runs a body that commits a save, with the files of large values that it writes and releases.
  ///
  /// The files are complete before the commit. Those that no row refers to any more are removed
  /// after it.
  private func withFiles<Result>(_ body: (ValueFileBatch?) throws -> Result) throws -> Result {
    guard let files = database.files else { return try body(nil) }
    let batch = ValueFileBatch(files, threshold: configuration.externalStorageThreshold)
    do {
      let result = try body(batch)
      // Until then a power loss may restore rows that refer to the files.
      batch.commit(isDurable: configuration.durability == .full)
      return result
    } catch {
      batch.rollBack(after: error)
      throw error
    }
  }

  public func outcome(ofSave identifier: UUID) throws -> SaveOutcome {
    try database.outcome(ofSave: identifier)
  }

  public var latestSave: Int64? { database.latestSave }

  public func nextKey() throws -> Int64? { try database.readSnapshot(Metadata.nextKey) }

  /// Waits for running requests, checkpoints the log, and closes the file.
  ///
  /// Every later request throws ``DataStoreError/storeClosed``. Without this call a store closes
  /// when its last reference is released. A call from within a request, such as in the body of
  /// ``withConnection(_:)``, waits for itself forever.
  public func close() throws { database.close() }

  /// Removes all rows, and the history with them.
  public func erase() throws {
    try save(checksReferences: false) { connection, files in
      try HistoryWriter(connection: connection).cutAll(
        at: connection.save,
        save: StoreEnvironment.current.makeSaveIdentifier()
      )
      try files?.releaseAll { try FileColumns.references(catalog.map, on: connection) }
      for join in catalog.map.joins { try connection.execute("DELETE FROM \(join.sql)") }
      for index in catalog.map.liveSearchIndexes { try connection.execute(index.clearing) }
      for table in catalog.map.tables { try connection.execute("DELETE FROM \(table.sql)") }
    }
  }

  /// Throws if another process has changed the schema since the store was opened.
  ///
  /// A save finds that when it begins.
  func checkSchema(on connection: Connection) throws {
    guard try Metadata.text(.fingerprint, from: connection) != fingerprint else { return }
    throw try Metadata.otherSchema(on: connection)
  }
}
