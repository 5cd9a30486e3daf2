import Foundation
import QueryEvaluation
import StoreProtocol

/// A store that implements SwiftData's requirements, as a store of records.
///
/// It gets the request of the program. Its results are filtered, sorted and cut once more here: a
/// store may do less than it was asked, with or without saying so. It lists the elements of each
/// to-many relationship, whatever their own references are.
///
/// Unchecked: such a store need not be safe to share, so it is touched under one lock only.
final class SnapshotAdapter<Base: DataStore>: AdaptedStore, @unchecked Sendable {
  /// The configuration of the adapted store.
  // Unchecked: SwiftData's protocol does not require it to be Sendable. It is kept as it was given.
  struct Configuration: DataStoreConfiguration, @unchecked Sendable {
    typealias Store = SnapshotAdapter
    var base: Base.Configuration
    /// The models, for a store that does not name them.
    let models: Schema

    var name: String { base.name }
    var schema: Schema? {
      get { base.schema }
      set { base.schema = newValue }
    }
  }

  let configuration: Configuration
  let identifier: String
  let schema: Schema
  private let base: Base
  private let lock: NSRecursiveLock
  private let conversion: SnapshotConversion<Base.Snapshot>
  private let coding: ModelSnapshotCoding
  /// Returns the snapshots for the fetch of the program to which it responds.
  private let request: Request?

  private typealias Request = (Base) throws -> [Base.Snapshot]

  init(_ configuration: Configuration, migrationPlan: (any SchemaMigrationPlan.Type)?) throws {
    // A store may decode its rows when it is created.
    base = try TypedSnapshotCoding.$current.withValue(ModelSnapshotCoding(configuration.models)) {
      try Base(configuration.base, migrationPlan: migrationPlan)
    }
    self.configuration = configuration
    identifier = base.identifier
    schema = base.schema.modelTypes.isEmpty ? configuration.models : base.schema
    lock = NSRecursiveLock()
    conversion = SnapshotConversion(schema: schema)
    coding = ModelSnapshotCoding(schema)
    request = nil
  }

  private init(_ adapter: SnapshotAdapter, _ request: @escaping Request) {
    base = adapter.base
    configuration = adapter.configuration
    identifier = adapter.identifier
    schema = adapter.schema
    lock = adapter.lock
    conversion = adapter.conversion
    coding = adapter.coding
    self.request = request
  }

  var adapted: any DataStore { base }

  var capabilities: StoreCapabilities { StoreCapabilities() }

  func responding<T: PersistentModel>(
    to descriptor: FetchDescriptor<T>,
    _ editingState: EditingState
  ) -> any RecordStore {
    SnapshotAdapter(self) { try $0.candidates(of: descriptor, editingState) }
  }

  private func withBase<Result>(_ body: (Base) throws -> Result) rethrows -> Result {
    try lock.withLock { try TypedSnapshotCoding.$current.withValue(coding) { try body(base) } }
  }

  func read(_ query: StoreQuery, _ body: (RowReader) throws -> Void) throws {
    try read(records: fetch(query, as: request), body)
  }

  func plan(_ request: StorePlan.Request, explained: Bool) -> StorePlan {
    if case .change = request { return StorePlan(noneOf: request) }
    return StorePlan(allOf: request, explanation: explained ? explanation(of: request) : nil)
  }

  private func explanation(of request: StorePlan.Request) -> StoreExplanation {
    StoreExplanation(
      store: "\(Base.self)",
      remainingFilter: request.query.filter,
      sortsNatively: false,
      steps: ["the rows of the store are filtered, sorted and limited again in memory"]
    )
  }

  func members(
    of property: String,
    in entity: String,
    owners: [PersistentIdentifier],
    wantsRows: Bool,
    _ body: (_ owner: Int64, RowReader) throws -> Void
  ) throws -> StoreMembers {
    let records = try fetch(.rows(owners, of: entity), as: nil)
    return .listed(
      records.reduce(into: [:]) { result, record in
        result[record.persistentIdentifier] = record[property]?.identifiers ?? []
      }
    )
  }

  func apply(_ changes: StoreChanges) throws -> StoreChangesResult {
    try apply(changes, RelatedObjects())
  }

  func apply(_ changes: StoreChanges, _ related: RelatedObjects) throws -> StoreChangesResult {
    if changes.requiresNew {
      throw DataStoreError(
        .unsupportedFeature,
        "\(Base.self) cannot report whether a new object became an update; save in a context "
          + "that does not "
          + "require new objects"
      )
    }
    return try lock.withLock {
      let inserted = changes.inserted
      let request = DataStoreSaveChangesRequest(
        inserted: try inserted.map { try conversion.snapshot(of: $0, related) },
        updated: try updatedSnapshots(changes.updated, related),
        deleted: try deletedSnapshots(changes.deleted, related),
        editingState: changes.editingState
      )
      let saved = try withBase { try $0.save(request) }
      try checkIdentifiers(saved.remappedIdentifiers, of: inserted)
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
      "\(Base.self).save(_:) returned without a permanent identifier for \(missing.count) of "
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

  func erase() throws { try lock.withLock { try base.erase() } }

  func close() throws { try withBase { try $0.close() } }

  func initializeState(for editingState: EditingState) {
    lock.withLock { base.initializeState(for: editingState) }
  }

  func invalidateState(for editingState: EditingState) {
    lock.withLock { base.invalidateState(for: editingState) }
  }

  private func fetch(
    _ query: StoreQuery,
    as request: Request?
  ) throws -> [DefaultSnapshot] {
    try lock.withLock {
      let candidates = try candidates(of: query.entity, as: request).filter { record in
        let name = record.persistentIdentifier.entityName
        return query.includesSubentities
          ? schema.storeSchema.isEntity(name, kindOf: query.entity) : name == query.entity
      }
      let evaluation = RecordEvaluation(
        schema: schema.storeSchema,
        records: { try self.fetch(.rows($0, of: $1), as: nil) },
        members: { try self.members(of: $0, in: $1, owners: $2) }
      )
      return try evaluation.evaluate(query, over: candidates)
    }
  }

  /// Returns records that include those that a request asks for, or all of the entity without a
  /// request.
  private func candidates(
    of entity: String,
    as request: Request?
  ) throws -> [DefaultSnapshot] {
    guard let type = schema.modelTypes[entity] else {
      throw DataStoreError(.schemaMismatch, "the schema lacks this entity", entity: entity)
    }
    let request = request ?? Self.all(of: type)
    return try withBase(request).map { snapshot in
      let record = try conversion.record(of: snapshot)
      try conversion.checkIdentifiers(of: record, from: "\(Base.self)")
      return record
    }
  }

  private static func all<T: PersistentModel>(of type: T.Type) -> Request {
    { try $0.candidates(of: FetchDescriptor<T>(), EditingState()) }
  }

  private func updatedSnapshots(
    _ updates: [StoreUpdate],
    _ related: RelatedObjects
  ) throws -> [Base.Snapshot] {
    try updates.map { update in
      let stored = try fetch(.rows([update.identifier], of: update.identifier.entityName), as: nil)
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
  ) throws -> [Base.Snapshot] {
    try deleted.flatMap { identifier in
      try fetch(.rows([identifier], of: identifier.entityName), as: nil)
        .map { try conversion.snapshot(of: $0, related) }
    }
  }
}

extension SnapshotAdapter: HistoryProviding where Base: HistoryProviding {
  func fetchHistory(
    _ descriptor: HistoryDescriptor<Base.HistoryType>
  ) throws -> [Base.HistoryType] {
    try withBase { try $0.fetchHistory(descriptor) }
  }

  func deleteHistory(_ descriptor: HistoryDescriptor<Base.HistoryType>) throws {
    try withBase { try $0.deleteHistory(descriptor) }
  }
}
