import ModelRuntime
import StoreProtocol

/// The pending changes of a context as plain values, one batch per store.
struct SavePlan {
  /// The part of a save for one store.
  struct Batch {
    let store: any RecordStore
    /// The changes to apply.
    var changes: StoreChanges
    /// The new objects, in the order of the batch.
    var inserted: [any PersistentModel] = []
    /// The new objects, if the store reads their records from them.
    ///
    /// `changes` then has no other new records, except for records of the same objects.
    var sources: [ObjectRowProducer] = []
    /// The changed objects, if the store reads their changes from them.
    var updates: [ObjectUpdates] = []
    /// The changed rows that no object of the context has.
    var unseen: [PersistentIdentifier] = []
    var changedRuns: [EntityRun] = []
    /// The objects to remove, in runs of one entity.
    var deletedRuns: [EntityRun] = []

    fileprivate mutating func add(_ effect: BulkEffect) {
      switch effect {
      case .change(let change): changes.bulkChanges.append(change)
      case .values(let updates):
        changes.updated += updates
        unseen += updates.map(\.identifier)
      }
    }

    /// The changed objects; each access makes a list of them.
    var changed: [any PersistentModel] {
      get { changedRuns.flatMap(\.models) }
      set { changedRuns = EntityRun.runs(of: newValue) }
    }

    /// The objects to remove; each access makes a list of them.
    var deleted: [any PersistentModel] {
      get { deletedRuns.flatMap(\.models) }
      set { deletedRuns = EntityRun.runs(of: newValue) }
    }
  }

  /// The batches, in the order of the stores.
  private(set) var batches: [Batch] = []
  private let keys: KeyOrder
  private let origin: SaveOrigin
  private let requiresNew: Bool

  /// Creates a plan with the values of all objects that changed, and notes what their encoding
  /// changes.
  ///
  /// With `readsSources`, stores read the values of objects directly where they can, so that the
  /// plan has no records of them.
  ///
  /// - Throws: `SwiftDataError.modelValidationFailure` if a value cannot be encoded.
  init(
    _ objects: PendingObjects,
    _ pending: PendingChanges,
    _ bulkChanges: [(store: any RecordStore, effect: BulkEffect)],
    editingState: EditingState,
    origin: SaveOrigin,
    requiresNew: Bool,
    readsSources: Bool,
    during changes: ChangesDuringSave
  ) throws {
    self.origin = origin
    self.requiresNew = requiresNew
    keys = KeyOrder(inserting: objects.inserted, during: changes)
    let orders = try MemberOrders(pending, keys: keys)
    for (store, effect) in bulkChanges {
      append(to: store, editingState) { $0.add(effect) }
    }
    for run in objects.deletedRuns {
      append(to: run.registration.store, editingState) { batch in
        batch.deletedRuns.append(run)
        batch.changes.protectedReferences.formUnion(run.registration.facts.restrictingReferences)
        let identifiers = run.identifiers
        batch.changes.deleted += identifiers
        for (model, identifier) in zip(run.models, identifiers) where pending.isCascaded(model) {
          batch.changes.consequences.deleted.insert(identifier)
        }
      }
    }
    let readsSources = readsSources && objects.readSources
    if readsSources, orders.owners.isEmpty, let updates = objects.updateSources {
      for (run, sources) in zip(objects.changedRuns, updates) {
        append(to: run.registration.store, editingState) { batch in
          batch.changedRuns.append(run)
          batch.updates += sources
        }
      }
    } else {
      try append(changes: objects, orders, pending, editingState)
    }
    protectRequired(of: objects.changedRuns + objects.insertedRuns, editingState)
    for run in objects.insertedRuns {
      let records = readsSources ? [] : try records(of: run)
      append(to: run.registration.store, editingState) { batch in
        batch.inserted += run.models
        if readsSources {
          batch.sources.append(ObjectRowProducer(run))
        } else {
          batch.changes.inserted += records
        }
      }
    }
  }

  /// Protects the required relationships of objects to be saved: another save may delete the other end.
  private mutating func protectRequired(of runs: [EntityRun], _ editingState: EditingState) {
    for run in runs where run.registration.store.capabilities.versions == .native {
      let entity = run.registration.entity
      for rule in run.registration.relationshipRules where rule.isRequired {
        let reference = StoreReference(entity.properties[rule.index].name, of: entity.name)
        append(to: run.registration.store, editingState) {
          $0.changes.protectedReferences.insert(reference)
        }
      }
    }
  }

  private func records(of run: EntityRun) throws -> [DefaultSnapshot] {
    var writer: ValuesWriter?
    return try run.models.map { try Self.record(of: $0, keys, &writer) }
  }

  private mutating func append(
    changes objects: PendingObjects,
    _ orders: MemberOrders,
    _ pending: PendingChanges,
    _ editingState: EditingState
  ) throws {
    let reordered = orders.owners.filter { !$0._$state.flags.contains(.changed) }
    for run in objects.changedRuns + EntityRun.runs(of: reordered) {
      var writer: ValuesWriter?
      var updates: [StoreUpdate] = []
      var cleared: [PersistentIdentifier: [Int]] = [:]
      for model in run.models {
        let changes =
          try Self.changes(of: model, keys, pending, &writer) + orders.changes(of: model)
        guard !changes.isEmpty else { continue }
        let identifier = model.persistentModelID
        updates.append(StoreUpdate(identifier: identifier, changes: changes))
        let consequences = pending.consequences(among: changes, of: model)
        if !consequences.isEmpty { cleared[identifier] = consequences }
      }
      append(to: run.registration.store, editingState) { batch in
        batch.changedRuns.append(run)
        batch.changes.updated += updates
        batch.changes.consequences.cleared.merge(cleared) { $0 + $1 }
      }
    }
  }

  /// Adds positions of readers of the history.
  mutating func append(
    _ readers: [HistoryReaderPosition],
    to store: any RecordStore,
    _ editingState: EditingState
  ) {
    append(to: store, editingState) { $0.changes.readers = readers }
  }

  private mutating func append(
    to store: any RecordStore,
    _ editingState: EditingState,
    _ change: (inout Batch) -> Void
  ) {
    if let index = batches.firstIndex(where: { $0.store === store }) {
      change(&batches[index])
    } else {
      var changes = StoreChanges(editingState: editingState, origin: origin)
      changes.requiresNew = requiresNew
      var batch = Batch(store: store, changes: changes)
      change(&batch)
      batches.append(batch)
    }
  }

  /// Returns the record of a new object; consecutive objects of one entity share a writer.
  private static func record(
    of model: any PersistentModel,
    _ keys: KeyOrder,
    _ last: inout ValuesWriter?
  ) throws -> DefaultSnapshot {
    let writer = try writer(for: model, keys, &last)
    writer.clearValues()
    let registration = writer.registration
    for index in registration.relationshipIndices { model.mergePendingMembers(index) }
    for index in registration.layout.properties.indices {
      model._$write(index, to: writer)
      if let failure = writer.failure { throw error(failure, registration) }
    }
    return DefaultSnapshot(
      persistentIdentifier: model.persistentModelID,
      entity: registration.entity,
      values: writer.values
    )
  }

  /// Returns the last writer, cleared for another object, if it is of the same entity, or a new
  /// one.
  private static func writer(
    for model: any PersistentModel,
    _ keys: KeyOrder,
    _ last: inout ValuesWriter?
  ) throws -> ValuesWriter {
    guard let registration = model.registration else {
      throw SwiftDataError.missingModelContext
    }
    if let last, last.registration === registration {
      last.clear()
      return last
    }
    let made = ValuesWriter(registration, keys: keys)
    last = made
    return made
  }

  private static func changes(
    of model: any PersistentModel,
    _ keys: KeyOrder,
    _ pending: PendingChanges,
    _ last: inout ValuesWriter?
  ) throws -> [StoreUpdate.Change] {
    let writer = try writer(for: model, keys, &last)
    let registration = writer.registration
    if registration.hasRelationships {
      writer.originals = (model.existingExtra?.originals ?? []).filter {
        !pending.joined.contains(model, $0.index)
      }
    }
    var changes: [StoreUpdate.Change] = []
    for index in model.dirtyIndices where !registration.ephemerals.contains(index) {
      if registration.isRelationship[index] { model.mergePendingMembers(index) }
      model._$write(index, to: writer)
      if let failure = writer.failure { throw error(failure, registration) }
      if writer.isWritten(index) { changes.append(StoreUpdate.Change(index, writer.values[index])) }
    }
    return changes
  }

  /// Returns records of new objects and updates of changed ones, for objects that stores read
  /// directly.
  ///
  /// No relationship of the changed objects has changed.
  static func records(
    inserted: [any PersistentModel],
    changed: [any PersistentModel]
  ) throws -> (inserted: [DefaultSnapshot], updated: [StoreUpdate]) {
    let keys = KeyOrder(inserting: inserted)
    let pending = PendingChanges()
    var writer: ValuesWriter?
    let records = try inserted.map { try record(of: $0, keys, &writer) }
    let updates = try changed.map {
      let changes = try changes(of: $0, keys, pending, &writer)
      return StoreUpdate(identifier: $0.persistentModelID, changes: changes)
    }
    return (records, updates.filter { !$0.changes.isEmpty })
  }

  /// Returns the values that a save would store now for some properties.
  ///
  /// Values that cannot be encoded, or need not be written, are left out.
  static func values(
    of model: any PersistentModel,
    at indices: [Int],
    keys: KeyOrder
  ) -> [Int: StoreValue] {
    guard let registration = model.registration else { return [:] }
    let writer = ValuesWriter(registration, keys: keys)
    var values: [Int: StoreValue] = [:]
    for index in indices {
      model.mergePendingMembers(index)
      model._$write(index, to: writer)
      guard writer.failure == nil else { break }
      if writer.isWritten(index) { values[index] = writer.values[index] }
    }
    return values
  }

  private static func error(
    _ failure: (index: Int, error: any Error),
    _ registration: EntityRegistration
  ) -> SwiftDataError {
    .modelValidationFailure.with(
      "the value cannot be encoded; nothing was saved",
      entity: registration.entity.name,
      property: registration.entity.properties[failure.index].name,
      cause: failure.error
    )
  }
}

/// Writes an object's values in their stored form.
private final class ValuesWriter: RowWriter {
  private(set) var values: [StoreValue]
  private var unwritten: Set<Int> = []
  let registration: EntityRegistration
  private let keys: KeyOrder
  private let nothing: [StoreValue]
  /// The earlier contents of changed properties, if the store still has them.
  var originals: [Original] = []

  init(_ registration: EntityRegistration, keys: KeyOrder) {
    self.registration = registration
    self.keys = keys
    nothing = [StoreValue](repeating: .null, count: registration.entity.properties.count)
    values = nothing
  }

  /// Sets all values to null, for an object that need not have one for each property.
  func clearValues() { values = nothing }

  /// Prepares the writer for another object.
  func clear() {
    if !unwritten.isEmpty { unwritten = [] }
    if !originals.isEmpty { originals = [] }
  }

  /// Whether a value is to be written: it is available, and differs from the stored one.
  func isWritten(_ index: Int) -> Bool { !unwritten.contains(index) }

  override func write(_ value: StoreValue, at index: Int) {
    values[index] = value
  }

  override func write(_ model: (any PersistentModel)?, key: Int64, at index: Int) {
    if let model {
      values[index] = keys.canRefer(to: model) ? .identifier(model.persistentModelID) : .null
    } else if key != 0, key != .min,
      let destination = registration.entity.properties[index].relationship?.destination
    {
      values[index] = .identifier(
        PersistentIdentifier(.integer(key), of: destination, in: registration.store.identifier)
      )
    } else if key == .min {
      unwritten.insert(index)
    } else {
      values[index] = .null
    }
  }

  override func write(_ models: [any PersistentModel]?, at index: Int) {
    guard let present = models?.filter(keys.canRefer) else {
      unwritten.insert(index)
      return
    }
    // Stores that do not support derived relationships need the list in any case.
    let derives =
      registration.entity.properties[index].isDerivedToMany && registration.derivesMembers
    if derives, let before = originals.first(where: { $0.index == index }),
      case .models(let others) = before.content, keys.follows(present, from: others)
    {
      unwritten.insert(index)
      return
    }
    let members = present.map(keys.member)
    let isNatural = derives && keys.isNatural(members)
    values[index] = isNatural ? .null : .identifiers(members.map(\.identifier))
  }
}
