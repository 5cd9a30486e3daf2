import Foundation
import StoreHelpers
import StoreProtocol

/// A store in one JSON document that a person can read and edit.
///
/// A save appends its changes to a journal beside the document. The journal is checkpointed into
/// the document when the store closes, when the journal has grown, and by ``compact()``. Rows are
/// kept in memory in columns, and are read when the store opens. Rows in another layout than the
/// store's, and rows of a document over 32 MB, are kept as text until their entity is first used.
/// One process writes at a time; Documentation/JSONFormat.md describes the files.
public final class JSONFileStore: RecordStore, MaintainableStore {
  /// The type of the store's configuration.
  public typealias Configuration = JSONFileStoreConfiguration

  /// The UUID that the store got when it was created.
  public let identifier: String
  /// The models in the store; those of the document if the configuration has none.
  public let schema: Schema
  /// The configuration with which the store was created.
  public let configuration: JSONFileStoreConfiguration
  public let capabilities: StoreCapabilities

  private let opened: StoreCore
  var core: StoreCore { opened.current }

  /// The core, for changes; others may write to the files of a store that was opened read-only.
  var writableCore: StoreCore {
    get throws {
      guard configuration.allowsSave else { throw StoreErrors.readOnly(configuration.path) }
      return core
    }
  }

  /// Opens the store of a configuration, and creates it if there is none.
  ///
  /// A rejected document is not changed.
  ///
  /// - Parameters:
  ///   - configuration: The location and the options.
  ///   - migrationPlan: The plan for migrating older data to the schema.
  /// - Throws: ``DataStoreError/storeBusy`` if another process has the store open,
  ///   ``DataStoreError/storeDamaged`` with the location of the damage,
  ///   ``DataStoreError/storeNotTrusted`` for a file that is not such a document,
  ///   ``DataStoreError/storeTooNew``, ``DataStoreError/schemaMismatch``, or ``DataStoreError/io``
  ///   if the system fails.
  /// - Complexity: O(*n*) in the bytes of the document.
  public init(
    _ configuration: JSONFileStoreConfiguration,
    migrationPlan: (any SchemaMigrationPlan.Type)?
  ) throws {
    opened = try StoreOpening.core(configuration)
    self.configuration = configuration
    identifier = opened.identifier
    schema = configuration.schema ?? opened.schema
    capabilities = StoreCapabilities(
      filtering: .native,
      sorting: .native,
      uniqueness: .native,
      history: configuration.history.content.support,
      migration: .native,
      concurrentProcesses: .unsupported(
        "only one process can open the store; others get storeBusy"
      ),
      versions: .native,
      durability: configuration.durability
    )
  }

  /// Returns all of a query or a selection, and nothing of a bulk change.
  ///
  /// The explanation has the indexes and the number of rows to examine. Conditions without an index
  /// are evaluated over the rows in memory, without creating records or objects; this counts as native.
  public func plan(_ request: StorePlan.Request, explained: Bool) throws -> StorePlan {
    if case .change = request { return StorePlan(noneOf: request) }
    let explanation = explained ? try ReadView(core).explanation(of: request) : nil
    return StorePlan(allOf: request, explanation: explanation)
  }

  public func count(_ query: StoreQuery) throws -> Int {
    try ReadView(core).count(query)
  }

  public func read(_ query: StoreQuery, _ body: (RowReader) throws -> Void) throws {
    let view = try ReadView(core)
    switch query.content {
    case .values:
      let reader = StoredRowReader(view, wanted: query.properties ?? [])
      try view.found(query).read(with: reader, body)
    case .records:
      let records = try view.rows(query).map(view.record)
      try view.check()
      try read(records: records, body)
    case .identifiers:
      try read(identifiers: view.found(query).identifiers, body)
    }
  }

  public func readingOneState(_ body: () throws -> Void) throws { try core.holdingState(body) }

  public func select(
    _ selection: StoreSelection,
    _ body: ([StoreValue]) throws -> Void
  ) throws {
    try ReadView(core).select(selection, body)
  }

  public func members(
    of property: String,
    in entity: String,
    owners: [PersistentIdentifier],
    wantsRows: Bool,
    _ body: (_ owner: Int64, RowReader) throws -> Void
  ) throws -> StoreMembers {
    let view = try ReadView(core)
    var result: [PersistentIdentifier: [PersistentIdentifier]] = [:]
    for owner in owners {
      guard let row = try view.find(owner), let index = row.entity.indexByName[property],
        row.entity.properties[index].isToMany
      else { continue }
      result[owner] = try view.members(of: index, owner: row)
    }
    return .listed(result)
  }

  public func apply(_ changes: StoreChanges) throws -> StoreChangesResult {
    let core = try writableCore
    // The store may lack no other feature that a batch can require.
    if !changes.bulkChanges.isEmpty || !changes.readers.isEmpty { try check(changes) }
    guard core.rowFiles != nil else { return try core.apply(changes).result }
    return try core.withFiles { try core.apply(changes, $0) }
  }

  public func outcome(ofSave identifier: UUID) throws -> SaveOutcome {
    try core.outcome(ofSave: identifier)
  }

  public func nextKey() throws -> Int64? { try core.currentState().nextKey }

  public var latestSave: Int64? { core.latestSave }

  public func erase() throws {
    try writableCore.erase()
  }

  /// Checkpoints the journal into the document, so that the document alone contains everything.
  ///
  /// - Throws: ``DataStoreError/io`` if the document could not be written; no save is lost, and the
  ///   store remains usable.
  /// - Complexity: O(*n*) in the size of the store.
  public func compact() throws {
    try writableCore.compact()
  }

  /// Checks the document, the journal and the files of large values for damage.
  ///
  /// The files are read again, as of the start of the call; locations contain the line and the
  /// column. A reference to a deleted row counts as nil and is not a problem. Others may save
  /// meanwhile. The result contains at most 250 problems.
  ///
  /// - Throws: ``DataStoreError/storeReplaced`` if the files are not those that the store opened,
  ///   and the errors of reading.
  /// - Complexity: O(*n*) in the size of the store and of its files, in time and in memory.
  public func verify() throws -> [StoreProblem] {
    try core.verify()
  }

  public func backup(to url: URL) throws {
    try core.backup(to: url, access: configuration.access)
  }

  /// Checkpoints the journal into the document and releases the files.
  ///
  /// It closes all stores of this process on the same document. If it throws, they are closed too,
  /// and all saves are in the journal. Without this call, a store closes when the last reference to
  /// it is released.
  public func close() throws {
    try core.close()
  }
}
