import Foundation
import StoreProtocol

/// A store in one JSON document that a person can read and edit.
///
/// A save appends what it changes to a journal beside the document, which is folded into the
/// document when the store closes, when the journal has grown, and on ``compact()``. Rows are in
/// memory in columns, read when the store opens. Rows that a person laid out otherwise than the store
/// does, and those of a document over 32 MB, stay as they stand until their entity is first used. One
/// process writes at a time; Documentation/JSONFormat.md tells the files.
public final class JSONFileStore: RecordStore, MaintainableStore {
  /// The configuration that describes such a store.
  public typealias Configuration = JSONFileStoreConfiguration
  /// The records in which the store deals.
  public typealias Snapshot = DefaultSnapshot

  /// The UUID that the store was given when it was made.
  public let identifier: String
  /// The models that the store holds, those of the document where the configuration names none.
  public let schema: Schema
  /// The configuration that the store was made from.
  public let configuration: JSONFileStoreConfiguration

  let core: StoreCore

  /// Opens the store of a configuration, making it where there is none.
  ///
  /// A document that is refused stays as it is.
  ///
  /// - Parameters:
  ///   - configuration: Where and how.
  ///   - migrationPlan: How to bring older data to the schema.
  /// - Throws: ``DataStoreError/storeBusy`` when another process has the store,
  ///   ``DataStoreError/storeDamaged`` with the place that is wrong,
  ///   ``DataStoreError/storeNotTrusted`` for a file that is no such document,
  ///   ``DataStoreError/storeTooNew``, ``DataStoreError/schemaMismatch``, or
  ///   ``DataStoreError/io`` when the system refuses.
  /// - Complexity: O(*n*) in the bytes of the document.
  public init(
    _ configuration: JSONFileStoreConfiguration,
    migrationPlan: (any SchemaMigrationPlan.Type)?
  ) throws {
    core = try StoreOpening.core(configuration)
    self.configuration = configuration
    identifier = core.identifier
    schema = configuration.schema ?? core.schema
  }

  public var capabilities: StoreCapabilities {
    StoreCapabilities(
      filtering: .native,
      sorting: .native,
      uniqueness: .native,
      history: configuration.history.content.support,
      migration: .native,
      concurrentProcesses: .unsupported("one process has the store; others get storeBusy"),
      versions: .native,
      durability: configuration.durability
    )
  }

  /// Takes all of a query.
  public func part(of query: StoreQuery) throws -> StoreQueryPart {
    StoreQueryPart(allOf: query)
  }

  public func fetch(_ query: StoreQuery) throws -> [DefaultSnapshot] {
    let view = try ReadView(core)
    let records = try view.rows(query).map(view.record)
    try view.check()
    return records
  }

  public func count(_ query: StoreQuery) throws -> Int {
    try ReadView(core).count(query)
  }

  public func identifiers(_ query: StoreQuery) throws -> [PersistentIdentifier] {
    try ReadView(core).found(query).identifiers
  }

  public func read(_ query: StoreQuery, _ body: (RowReader) throws -> Void) throws {
    let view = try ReadView(core)
    let reader = StoredRowReader(view, wanted: query.properties ?? [])
    try view.found(query).read(with: reader, body)
  }

  public func readingOneState(_ body: () throws -> Void) throws { try core.holdingState(body) }

  public func select(
    _ selection: StoreSelection,
    _ body: ([StoreValue]) throws -> Void
  ) throws {
    try ReadView(core).select(selection, body)
  }

  /// Says which indexes find the rows, and how many rows are looked at.
  ///
  /// Conditions that no index answers are judged over the rows in memory, without records or
  /// objects of them; this counts as the store's own.
  public func explain(_ query: StoreQuery) throws -> StoreExplanation {
    try ReadView(core).explain(query)
  }

  public func explain(_ selection: StoreSelection) throws -> StoreExplanation {
    try ReadView(core).explain(selection)
  }

  public func members(
    of property: String,
    in entity: String,
    owners: [PersistentIdentifier]
  ) throws -> [PersistentIdentifier: [PersistentIdentifier]] {
    let view = try ReadView(core)
    var result: [PersistentIdentifier: [PersistentIdentifier]] = [:]
    for owner in owners {
      guard let row = try view.find(owner), let index = row.entity.indexByName[property],
        row.entity.properties[index].isToMany
      else { continue }
      result[owner] = try view.members(of: index, owner: row)
    }
    return result
  }

  public func apply(_ changes: StoreChanges) throws -> StoreChangesResult {
    try apply(changes, ChangeSources())
  }

  public func apply(
    _ changes: StoreChanges,
    _ sources: ChangeSources
  ) throws -> StoreChangesResult {
    try checkWriting()
    try capabilities.check(changes)
    return try core.apply(changes, sources)
  }

  public func takesSources(of entity: String) -> Bool { core.map.takesSources(of: entity) }

  public func outcome(ofSave identifier: UUID) throws -> SaveOutcome {
    try core.outcome(ofSave: identifier)
  }

  public func nextKey() throws -> Int64? { try core.currentState().nextKey }

  public func erase() throws {
    try checkWriting()
    try core.erase()
  }

  /// Folds the journal into the document, so that the document alone has everything.
  ///
  /// - Throws: ``DataStoreError/io`` when the document could not be written; no save is lost, and the
  ///   store goes on.
  /// - Complexity: O(*n*) in the size of the store.
  public func compact() throws {
    try checkWriting()
    try core.compact()
  }

  /// Looks for damage in the document, in the journal, and in the files of large values.
  ///
  /// The files are read anew, as they were when the call began; places are told with line and
  /// column. A reference to a row that was deleted counts as none and is no problem, unless the
  /// relationship must have a row. Others may save meanwhile. At most 250 problems are told.
  ///
  /// - Throws: ``DataStoreError/storeReplaced`` when the files are not those that the store knows,
  ///   and what reading throws.
  /// - Complexity: O(*n*) in the size of the store and of its files, in time and in memory.
  public func verify() throws -> [StoreProblem] {
    try core.verify()
  }

  public func backup(to url: URL) throws {
    try core.backup(to: url, access: configuration.access)
  }

  /// Folds the journal into the document and gives the files free.
  ///
  /// All stores of this process on the same document end with it. When this throws, they have
  /// ended too, and what was saved is in the journal. Without this call a store closes when the
  /// last reference to it goes.
  public func close() throws {
    try core.close()
  }

  /// Refuses to write through a store that was opened to be read; others may write to the same files.
  func checkWriting() throws {
    guard configuration.allowsSave else { throw StoreErrors.readOnly(configuration.path) }
  }
}
