import Foundation
import StoreProtocol

/// A store in a SQLite database that other tools can read.
///
/// One table holds an entity with everything that inherits from it, in typed columns under the
/// names of the properties; Documentation/SQLiteFormat.md tells the rest. Reads run side by side,
/// each on one state of the database; saves run one after the other, also those of other
/// processes.
public final class SQLiteStore: RecordStore {
  /// The configuration that describes such a store.
  public typealias Configuration = SQLiteStoreConfiguration
  /// The records in which the store deals.
  public typealias Snapshot = DefaultSnapshot

  /// The UUID that the store was given when it was made.
  public let identifier: String
  /// The models that the store holds, those of the file where the configuration names none.
  public let schema: Schema
  /// The configuration that the store was made from.
  public let configuration: SQLiteStoreConfiguration

  let database: Database
  let catalog: Catalog
  let fingerprint: String

  /// Opens the store of a configuration, making it where there is none.
  ///
  /// A file with another schema is brought to this one where that needs no code
  /// (``SchemaDifference``), in one transaction. Nothing of a file that is refused is changed.
  ///
  /// - Parameters:
  ///   - configuration: Where and how.
  ///   - migrationPlan: How to bring older data to the schema.
  /// - Throws: ``DataStoreError/schemaMismatch`` when code is needed or rows are in the way,
  ///   ``DataStoreError/storeTooNew``, ``DataStoreError/storeNotTrusted`` or
  ///   ``DataStoreError/storeDamaged`` for a file that this engine did not make or that is broken,
  ///   ``DataStoreError/storeBusy`` when another process keeps the store, and
  ///   ``DataStoreError/io`` when the system refuses.
  public init(
    _ configuration: SQLiteStoreConfiguration,
    migrationPlan: (any SchemaMigrationPlan.Type)?
  ) throws {
    let opened = try StoreOpening(configuration).open()
    self.configuration = configuration
    schema = opened.schema
    identifier = opened.identifier
    fingerprint = opened.fingerprint
    database = opened.database
    catalog = try Catalog(opened.map, storeIdentifier: opened.identifier)
  }

  public var capabilities: StoreCapabilities {
    StoreCapabilities(
      filtering: .native,
      sorting: .native,
      uniqueness: .native,
      batchDelete: .native,
      history: configuration.history.content.support,
      migration: .native,
      concurrentProcesses: configuration.isStoredInMemoryOnly
        ? .unsupported("the data lives in this process's memory") : .native,
      versions: .native,
      durability: configuration.isStoredInMemoryOnly ? .none : configuration.durability
    )
  }

  /// Takes all of a query.
  public func part(of query: StoreQuery) throws -> StoreQueryPart {
    StoreQueryPart(allOf: query)
  }

  public func apply(_ changes: StoreChanges) throws -> StoreChangesResult {
    try apply(changes, ChangeSources())
  }

  public func apply(
    _ changes: StoreChanges,
    _ sources: ChangeSources
  ) throws -> StoreChangesResult {
    try capabilities.check(changes)
    let companion = SaveCompanion.waiting(for: self)
    let result = try save(changes.saveIdentifier) { connection, files in
      try checkSchema(on: connection)
      let result = try ChangeWriter.apply(
        changes,
        sources,
        catalog: catalog,
        connection: connection,
        files: files,
        history: configuration.history
      )
      try companion?.run(on: connection)
      return result
    }
    companion?.finish()
    return result
  }

  public func takesSources(of entity: String) -> Bool {
    (try? catalog.writePlan(of: entity))?.takesSources == true
  }

  public func outcome(ofSave identifier: UUID) throws -> SaveOutcome {
    try database.outcome(ofSave: identifier)
  }

  public func nextKey() throws -> Int64? { try database.readSnapshot(Metadata.nextKey) }

  /// Waits for the requests that are under way, folds the log into the file and closes it.
  ///
  /// Every request after it throws ``DataStoreError/storeClosed``. Without this call a store closes when
  /// the last reference to it goes. A call from within a request, as in the body of
  /// ``withConnection(_:)``, waits for itself for ever.
  public func close() throws { database.close() }

  /// Removes all rows, and the history with them.
  public func erase() throws {
    try save(checksReferences: false) { connection, files in
      try checkSchema(on: connection)
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

  /// Refuses to work on tables of another schema than the store was opened with.
  func checkSchema(on connection: Connection) throws {
    guard try Metadata.text(.fingerprint, from: connection) == fingerprint else {
      throw DataStoreError(
        .schemaMismatch,
        "another process has changed the store's schema; open the store again",
        file: configuration.file?.path
      )
    }
  }
}
