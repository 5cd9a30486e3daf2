import Foundation
import QueryEvaluation
import StoreProtocol

/// A backend for a store that implements SwiftData's requirements.
///
/// It gets the request of the program. Its results are filtered, sorted and cut once more here: a
/// store may do less than it was asked, with or without saying so.
///
/// Unchecked: such a store need not be safe to share, so it is touched under one lock only.
final class SnapshotBackend<Store: DataStore>: StoreBackend, @unchecked Sendable {
  private let base: Store
  private let lock = NSRecursiveLock()
  private let types: [String: any PersistentModel.Type]
  private let conversion: SnapshotConversion<Store.Snapshot>
  private let coding: ModelSnapshotCoding
  private let ephemerals: Ephemerals?

  let identifier: String
  let schema: Schema

  init(_ base: Store, schema: Schema) {
    self.base = base
    self.schema = schema
    identifier = base.identifier
    types = schema.modelTypes
    conversion = SnapshotConversion(schema: schema)
    coding = ModelSnapshotCoding(schema)
    ephemerals = Ephemerals(schema)
  }

  var capabilities: StoreCapabilities { StoreCapabilities() }
  var derivesMembers: Bool { false }
  var store: any DataStore { base }

  func withStore<Result>(_ body: (any DataStore) throws -> Result) rethrows -> Result {
    try lock.withLock { try TypedSnapshotCoding.$current.withValue(coding) { try body(base) } }
  }

  func read(
    _ query: StoreQuery,
    as request: (any FetchRequest)?,
    _ body: (RowReader) throws -> Void
  ) throws {
    try read(fetch(query, as: request), filledBy: ephemerals, body)
  }

  func count(_ query: StoreQuery, as request: (any FetchRequest)?) throws -> Int {
    try fetch(query, as: request).count
  }

  func identifiers(
    _ query: StoreQuery,
    as request: (any FetchRequest)?
  ) throws -> [PersistentIdentifier] {
    try fetch(query, as: request).map(\.persistentIdentifier)
  }

  func part(of change: BulkChange) -> StoreQueryPart { StoreQueryPart(noneOf: change.query) }

  func select(_ selection: StoreSelection, _ body: ([StoreValue]) throws -> Void) throws {
    try lock.withLock {
      try evaluation.select(selection, from: fetch(selection.rowQuery), body)
    }
  }

  func explain(_ query: StoreQuery) throws -> StoreExplanation {
    StoreExplanation(
      store: "\(Store.self)",
      remainingFilter: query.filter,
      sortsNatively: false,
      steps: ["the rows of the store are filtered, sorted and limited again in memory"]
    )
  }

  func explain(_ selection: StoreSelection) throws -> StoreExplanation {
    try explain(selection.query)
  }

  func members(
    of property: String,
    in entity: String,
    owners: [PersistentIdentifier]
  ) throws -> [PersistentIdentifier: [PersistentIdentifier]] {
    try fetch(.rows(owners, of: entity)).reduce(into: [:]) { result, record in
      result[record.persistentIdentifier] = record[property]?.identifiers ?? []
    }
  }

  func readMembers(
    of property: String,
    in entity: String,
    owners: [Int64],
    _ body: (_ owner: Int64, RowReader) throws -> Void
  ) throws -> [Int64: [Int64]]? { nil }

  func rowSource(of entity: String) throws -> (any RowSource)? { nil }

  func readingOneState(_ body: () throws -> Void) throws { try body() }

  func readsSources(of entity: String) -> Bool { false }

  var keepsHistory: Bool { capabilities.history.isSupported && base is any HistoryKeeping }

  func apply(_ changes: StoreChanges, _ related: RelatedObjects) throws -> StoreChangesResult {
    if changes.requiresNew {
      throw DataStoreError(
        .unsupportedFeature,
        "\(Store.self) cannot report whether a new object became an update; save in a context "
          + "that does not "
          + "require new objects"
      )
    }
    return try lock.withLock {
      let request = DataStoreSaveChangesRequest(
        inserted: try changes.inserted.map { try conversion.snapshot(of: $0, related) },
        updated: try updatedSnapshots(changes.updated, related),
        deleted: try deletedSnapshots(changes.deleted, related),
        editingState: changes.editingState
      )
      let saved = try withStore { _ in try base.save(request) }
      try checkIdentifiers(saved.remappedIdentifiers, of: changes.inserted)
      var result = StoreChangesResult(remapped: saved.remappedIdentifiers)
      result.changedByStore = Array(saved.snapshotsToReregister.keys)
      return result
    }
  }

  /// Checks that a store named a permanent identifier for each new object.
  private func checkIdentifiers(
    _ remapped: [PersistentIdentifier: PersistentIdentifier],
    of inserted: [DefaultSnapshot]
  ) throws {
    let missing = inserted.map(\.persistentIdentifier).filter {
      remapped[$0]?.isTemporary ?? true
    }
    guard let first = missing.first else { return }
    let shown = missing.prefix(3).map { "\($0)" }.joined(separator: ", ")
    let rest = missing.count > 3 ? " and \(missing.count - 3) more" : ""
    throw DataStoreError(
      .outcomeUnknown,
      "\(Store.self).save(_:) returned without a permanent identifier for \(missing.count) of "
        + "\(inserted.count) new objects: \(shown)\(rest); return a DataStoreSaveChangesResult "
        + "whose "
        + "remappedIdentifiers has the persistentIdentifier of each snapshot in request.inserted "
        + "as a key",
      entity: first.entityName
    )
  }

  /// SwiftData's protocol has no such request.
  func outcome(ofSave identifier: UUID) throws -> SaveOutcome {
    throw DataStoreError.unsupportedFeature
  }

  func nextKey() throws -> Int64? { nil }
  func watch() throws -> (any StoreWatch)? { nil }

  func erase() throws { try lock.withLock { try base.erase() } }

  func initializeState(for editingState: EditingState) {
    lock.withLock { base.initializeState(for: editingState) }
  }

  func invalidateState(for editingState: EditingState) {
    lock.withLock { base.invalidateState(for: editingState) }
  }

  private var evaluation: RecordEvaluation {
    RecordEvaluation(
      schema: schema.storeSchema,
      records: { try self.fetch(.rows($0, of: $1)) },
      members: { try self.members(of: $0, in: $1, owners: $2) }
    )
  }

  private func fetch(
    _ query: StoreQuery,
    as request: (any FetchRequest)? = nil
  ) throws -> [DefaultSnapshot] {
    try lock.withLock {
      let candidates = try candidates(of: query.entity, as: request).filter { record in
        let name = record.persistentIdentifier.entityName
        return query.includesSubentities
          ? schema.storeSchema.isEntity(name, kindOf: query.entity) : name == query.entity
      }
      return try evaluation.evaluate(query, over: candidates)
    }
  }

  /// Returns records that include those that a request asks for, or all of the entity without a
  /// request.
  private func candidates(
    of entity: String,
    as request: (any FetchRequest)?
  ) throws -> [DefaultSnapshot] {
    guard let type = types[entity] else {
      throw DataStoreError(.schemaMismatch, "the schema lacks this entity", entity: entity)
    }
    let request = request ?? Self.all(of: type)
    let snapshots = try withStore { _ in try request.candidates(from: base) }
    return try snapshots.map(conversion.record(of:))
  }

  private static func all<T: PersistentModel>(of type: T.Type) -> any FetchRequest {
    TypedFetchRequest(descriptor: FetchDescriptor<T>(), editingState: EditingState())
  }

  private func updatedSnapshots(
    _ updates: [StoreUpdate],
    _ related: RelatedObjects
  ) throws -> [Store.Snapshot] {
    try updates.map { update in
      let stored = try fetch(.rows([update.identifier], of: update.identifier.entityName))
      guard var record = stored.first else {
        throw DataStoreError(
          .conflict,
          "the object \(update.identifier) is no longer in the store",
          entity: update.identifier.entityName
        )
      }
      let entity = schema.storeSchema.entity(named: update.identifier.entityName)
      for change in update.changes {
        if let name = entity?.properties[change.index].name { record[name] = change.value }
      }
      return try conversion.snapshot(of: record, related)
    }
  }

  private func deletedSnapshots(
    _ deleted: [PersistentIdentifier],
    _ related: RelatedObjects
  ) throws -> [Store.Snapshot] {
    try deleted.flatMap { identifier in
      try fetch(.rows([identifier], of: identifier.entityName))
        .map { try conversion.snapshot(of: $0, related) }
    }
  }
}
