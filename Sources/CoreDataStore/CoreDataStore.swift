import CoreDataFiles
import Foundation
import QueryEvaluation
public import StoreProtocol

/// A store that Core Data or Apple's SwiftData wrote, which can be read on any system.
///
/// The model is read from the file itself, so that no classes are needed. With a schema in its
/// configuration the store matches the program's classes with the file's entities by name.
///
/// The source is never written: the file and its log are copied to a private folder and read there.
/// Saves throw ``DataStoreError/storeReadOnly``. To make changes, copy the store into another one.
///
/// SQL evaluates filters and orders over plain attributes and references. The evaluator computes
/// the rest over the remaining rows. Rows are streamed unless the evaluator sorts them.
public final class CoreDataStore: RecordStore {
  /// The type of the store's configuration.
  public typealias Configuration = CoreDataStoreConfiguration

  /// The identifier that Core Data gave the store.
  public var identifier: String { content.tables.identifier }
  /// The models of the program, or those of the file if the configuration names none.
  public let schema: Schema
  /// The configuration that the store was opened with.
  public let configuration: CoreDataStoreConfiguration
  let content: SourceContent

  /// Opens a store.
  ///
  /// - Throws: ``DataStoreError/storeNotTrusted`` for another program's file or a link,
  ///   ``DataStoreError/storeDamaged``, ``DataStoreError/invalidConfiguration`` if the file has no
  ///   model, ``DataStoreError/schemaMismatch`` if the program's classes do not match,
  ///   ``DataStoreError/storeBusy``, or ``DataStoreError/io``.
  /// - Complexity: O(*n*) in the bytes of the file, which is copied, unless it is read in place.
  ///   Without a schema in the configuration, required attributes are searched for absent values.
  public init(
    _ configuration: CoreDataStoreConfiguration,
    migrationPlan: (any SchemaMigrationPlan.Type)? = nil
  ) throws {
    self.configuration = configuration
    content = try SourceContent(configuration)
    schema = configuration.schema ?? Schema(storeSchema: content.schema)
  }

  /// The values that could not be read so far, under ``UnreadableValuePolicy/omit``.
  public var unreadableValues: [UnreadableValue] { content.problems.all }

  /// The names of the cases of enumerations without raw values, by `Entity.property`.
  package var enumerationCases: [String: [String]] {
    var cases: [String: [String]] = [:]
    for entity in content.model.entities {
      for attribute in entity.attributes where attribute.isEnumeration && !attribute.cases.isEmpty {
        cases["\(entity.name).\(attribute.name)"] = attribute.cases
      }
    }
    return cases
  }

  public var capabilities: StoreCapabilities {
    let reason = "the store is read-only; copy it into another store"
    return StoreCapabilities(
      filtering: .native,
      sorting: .native,
      uniqueness: .unsupported(reason),
      batchDelete: .unsupported(reason),
      history: .unsupported("the history of Core Data is not available"),
      migration: .unsupported(reason),
      concurrentProcesses: .unsupported(reason),
      versions: .unsupported(reason),
      durability: .none
    )
  }

  public func count(_ query: StoreQuery) throws -> Int {
    if let count = try execution(of: query).count() { return count }
    var count = 0
    try execution(of: query).forEach { _ in count += 1 }
    return count
  }

  public func read(_ query: StoreQuery, _ body: (RowReader) throws -> Void) throws {
    if query.content == .identifiers, let found = try execution(of: query).identifiers() {
      return try read(identifiers: found, body)
    }
    let reader = SnapshotReader(schema: content.schema)
    try execution(of: query).forEach { record in
      try reader.move(to: record)
      try body(reader)
    }
  }

  public func members(
    of property: String,
    in entity: String,
    owners: [PersistentIdentifier],
    wantsRows: Bool,
    _ body: (_ owner: Int64, RowReader) throws -> Void
  ) throws -> StoreMembers {
    guard let found = content.schema.entity(named: entity)?.property(named: property),
      found.isToMany
    else { return .listed([:]) }
    return .listed(try content.members(of: found, in: entity, owners: owners))
  }

  public func select(
    _ selection: StoreSelection,
    _ body: ([StoreValue]) throws -> Void
  ) throws {
    let execution = try execution(of: selection.rowQuery)
    try execution.evaluator.evaluate(selection, over: execution.candidates(), body)
  }

  /// Returns all of a query or a selection; the store makes no changes.
  public func plan(_ request: StorePlan.Request, explained: Bool) throws -> StorePlan {
    if case .change = request { return StorePlan(noneOf: request) }
    return StorePlan(allOf: request, explanation: explained ? try explanation(of: request) : nil)
  }

  private func explanation(of request: StorePlan.Request) throws -> StoreExplanation {
    var explanation = try execution(of: request.query).explanation()
    if case .selection = request {
      explanation.steps.append("the values are computed by the evaluator")
    }
    return explanation
  }

  /// Throws, since the store is read-only.
  public func apply(_ changes: StoreChanges) throws -> StoreChangesResult { throw readOnly() }

  /// Throws, since the store is read-only.
  public func outcome(ofSave identifier: UUID) throws -> SaveOutcome {
    throw DataStoreError(.unsupportedFeature, "the store is read-only and records no saves")
  }

  /// Throws, since the store is read-only.
  public func erase() throws { throw readOnly() }

  private func readOnly() -> DataStoreError {
    DataStoreError(
      .storeReadOnly,
      "a Core Data store is read-only; copy it into another store",
      file: configuration.url.path
    )
  }

  private func execution(of query: StoreQuery) throws -> QueryExecution {
    try QueryExecution(query, content, trustsValues: configuration.unreadableValues == .fail)
  }
}
