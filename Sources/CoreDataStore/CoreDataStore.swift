import CoreDataFiles
import Foundation
public import StoreProtocol

/// A store that Core Data or Apple's SwiftData wrote, for reading on any system.
///
/// The model is read from the file itself, so that no classes are needed. With a schema in its
/// configuration the store matches the program's classes with the file's entities by name.
///
/// The source is never written: the file and its log are copied into a private folder and read there.
/// Saves throw ``DataStoreError/storeReadOnly``; copy the store into one of your own, or lay an overlay
/// of edits on it.
///
/// Filters and orders are computed by the evaluator over the rows of an entity, in memory. Queries
/// without them stream in the order of the keys.
public final class CoreDataStore: RecordStore {
  /// The configuration that describes such a store.
  public typealias Configuration = CoreDataStoreConfiguration
  /// The records in which the store deals.
  public typealias Snapshot = DefaultSnapshot

  /// The identity that Core Data gave the store.
  public var identifier: String { content.tables.identifier }
  /// The models of the program, or those of the file if the configuration names none.
  public let schema: Schema
  /// The configuration that the store was made from.
  public let configuration: CoreDataStoreConfiguration
  private let content: SourceContent

  /// Opens a store.
  ///
  /// - Throws: ``DataStoreError/storeNotTrusted`` for another program's file or a link,
  ///   ``DataStoreError/storeDamaged``, ``DataStoreError/invalidConfiguration`` if the file has no
  ///   model, ``DataStoreError/schemaMismatch`` if the program's classes do not fit,
  ///   ``DataStoreError/storeBusy``, or ``DataStoreError/io``.
  /// - Complexity: O(*n*) in the bytes of the file, which is copied, unless it is read in place.
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

  public var capabilities: StoreCapabilities {
    let reason = "the store is only read; copy it into a store of your own"
    return StoreCapabilities(
      filtering: .native,
      sorting: .native,
      uniqueness: .unsupported(reason),
      batchDelete: .unsupported(reason),
      history: .unsupported("the history of Core Data is not read"),
      migration: .unsupported(reason),
      concurrentProcesses: .unsupported(reason),
      versions: .unsupported(reason),
      durability: .none
    )
  }

  public func fetch(_ query: StoreQuery) throws -> [DefaultSnapshot] {
    var result: [DefaultSnapshot] = []
    try read(query) { result.append($0) }
    return result
  }

  public func count(_ query: StoreQuery) throws -> Int {
    guard query.filter == nil, query.identifiers == nil else { return try fetch(query).count }
    let all = try content.count(of: query.entity, includesSubentities: query.includesSubentities)
    let rest = max(all - max(query.offset, 0), 0)
    return min(rest, max(query.limit ?? rest, 0))
  }

  public func read(_ query: StoreQuery, _ body: (RowReader) throws -> Void) throws {
    let reader = SnapshotReader(schema: content.schema)
    try read(query) { record in
      try reader.move(to: record)
      try body(reader)
    }
  }

  public func select(
    _ selection: StoreSelection,
    _ body: ([StoreValue]) throws -> Void
  ) throws {
    let rows = try candidates(selection.rowQuery)
    try evaluator().answer(selection, over: rows, body)
  }

  public func explain(_ query: StoreQuery) throws -> StoreExplanation {
    let isPlain = isPlain(query)
    return StoreExplanation(
      store: "CoreDataStore",
      nativeFilter: query.filter,
      sortsNatively: true,
      steps: [
        isPlain
          ? "rows in the order of their keys"
          : "all rows of the entity, filtered and sorted by the evaluator"
      ],
      rowsExamined: .rows(
        try content.count(of: query.entity, includesSubentities: query.includesSubentities)
      )
    )
  }

  public func explain(_ selection: StoreSelection) throws -> StoreExplanation {
    var explanation = try explain(selection.rowQuery)
    explanation.steps.append("the values are computed by the evaluator")
    return explanation
  }

  /// Throws, since the store is only read.
  public func apply(_ changes: StoreChanges) throws -> StoreChangesResult { throw readOnly() }

  /// Throws, since the store is only read.
  public func outcome(ofSave identifier: UUID) throws -> SaveOutcome {
    throw DataStoreError(.unsupportedFeature, "the store keeps no account of saves")
  }

  /// Throws, since the store is only read.
  public func erase() throws { throw readOnly() }

  private func readOnly() -> DataStoreError {
    DataStoreError(
      .storeReadOnly,
      "a store of Core Data is only read; copy it into a store of your own",
      file: configuration.url.path
    )
  }

  /// Whether a query asks for rows in the order of their keys.
  private func isPlain(_ query: StoreQuery) -> Bool {
    query.filter == nil && query.sort.isEmpty
  }

  private func read(_ query: StoreQuery, _ body: (DefaultSnapshot) throws -> Void) throws {
    guard isPlain(query) else {
      for row in try evaluator().answer(query, over: candidates(query)) { try body(row.record) }
      return
    }
    var skipped = 0
    var taken = 0
    let limit = query.limit ?? .max
    guard limit > 0 else { return }
    try rows(of: query) { row in
      guard skipped >= query.offset else {
        skipped += 1
        return true
      }
      try body(row)
      taken += 1
      return taken < limit
    }
  }

  private func candidates(_ query: StoreQuery) throws -> [SnapshotRow] {
    var result: [SnapshotRow] = []
    try rows(of: query) { row in
      guard let entity = content.schema.entity(named: row.persistentIdentifier.entityName) else {
        return true
      }
      result.append(SnapshotRow(row, entity))
      return true
    }
    return result
  }

  private func rows(of query: StoreQuery, _ body: (DefaultSnapshot) throws -> Bool) throws {
    try content.rows(
      of: query.entity,
      includesSubentities: query.includesSubentities,
      query.identifiers,
      body
    )
  }

  /// The evaluator over the store's rows; it keeps the rows that it looked up.
  private func evaluator() -> QueryEvaluator<SnapshotRow> {
    let lookup = RowLookup(content)
    return QueryEvaluator(
      schema: content.schema,
      row: { try lookup.row($0) },
      members: { try lookup.members($0, $1) }
    )
  }
}
