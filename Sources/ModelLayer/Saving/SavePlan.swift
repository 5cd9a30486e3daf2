import ModelRuntime
import StoreProtocol

/// The pending changes of a context as plain values, one batch per store.
struct SavePlan {
  /// The part of a save for one store.
  struct Batch {
    let store: any RecordStore
    /// The changes to apply.
    var changes: StoreChanges
    /// The new objects, in runs of one entity, as the batch has them.
    var insertedRuns: [EntityRun] = []
    /// The changed rows that no object of the context has.
    var unseen: [PersistentIdentifier] = []
    var changedRuns: [EntityRun] = []
    /// The objects to remove, in runs of one entity.
    var deletedRuns: [EntityRun] = []

    fileprivate mutating func add(_ effect: BulkEffect) {
      switch effect {
      case .change(let change): changes.bulkChanges.append(change)
      case .values(let updates):
        changes.updates += RowRun.runs(of: updates)
        unseen += updates.map(\.identifier)
      }
    }

    /// The new objects; each access makes a list of them.
    var inserted: [any PersistentModel] {
      get { insertedRuns.flatMap(\.models) }
      set { insertedRuns = EntityRun.runs(of: newValue) }
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

  /// Creates a plan of all objects that changed, and notes what the encoding of their values changes.
  ///
  /// - Throws: `SwiftDataError.modelValidationFailure` if a value cannot be encoded.
  init(
    _ objects: PendingObjects,
    _ pending: PendingChanges,
    _ bulkChanges: [(store: any RecordStore, effect: BulkEffect)],
    editingState: EditingState,
    origin: SaveOrigin,
    requiresNew: Bool,
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
    try append(changes: objects, orders, pending, editingState)
    protectRequired(of: objects.changedRuns + objects.insertedRuns, editingState)
    for run in objects.insertedRuns {
      let registration = run.registration
      let producer = try ObjectRowProducer(inserting: run, keys)
      let numbers = run.marks?.map(\.key) ?? run.models.map { $0._$state.key }
      append(to: registration.store, editingState) { batch in
        batch.insertedRuns.append(run)
        batch.changes.insertions.append(
          RowRun(
            RowIdentifiers(numbers, areTemporary: true, in: registration.layout.unsavedScope),
            of: registration.entity,
            in: registration.store.identifier,
            from: producer
          )
        )
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

  private mutating func append(
    changes objects: PendingObjects,
    _ orders: MemberOrders,
    _ pending: PendingChanges,
    _ editingState: EditingState
  ) throws {
    let reordered = orders.owners.filter { !$0._$state.flags.contains(.changed) }
    for run in objects.changedRuns + EntityRun.runs(of: reordered) {
      let writer = ValuesWriter(run.registration, keys: keys)
      var cleared: [PersistentIdentifier: [Int]] = [:]
      let updates = try ObjectUpdates(run, reordering: !orders.owners.isEmpty) { model in
        let changes = try Self.changes(of: model, pending, writer) + orders.changes(of: model)
        let consequences = pending.consequences(among: changes, of: model)
        if !consequences.isEmpty { cleared[model.persistentModelID] = consequences }
        return changes
      }
      append(to: run.registration.store, editingState) { batch in
        batch.changedRuns.append(run)
        batch.changes.updates += updates.runs
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

  /// Returns the changes of an object, without those of basic attributes.
  private static func changes(
    of model: any PersistentModel,
    _ pending: PendingChanges,
    _ writer: ValuesWriter
  ) throws -> [StoreUpdate.Change] {
    let registration = writer.registration
    writer.clear()
    if registration.hasRelationships {
      writer.originals = (model.existingExtra?.originals ?? []).filter {
        !pending.joined.contains(model, $0.index)
      }
    }
    var changes: [StoreUpdate.Change] = []
    for index in model.dirtyIndices
    where !registration.isPlain[index] && !registration.ephemerals.contains(index) {
      if registration.isRelationship[index] { model.mergePendingMembers(index) }
      let value = try writer.value(of: index, in: model)
      if writer.isWritten(index) { changes.append(StoreUpdate.Change(index, value)) }
    }
    return changes
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
}

/// Writes an object's values in their stored form.
final class ValuesWriter: RowWriter {
  private(set) var values: [StoreValue]
  private var unwritten: Set<Int> = []
  let registration: EntityRegistration
  private let keys: KeyOrder
  /// The earlier contents of changed properties, if the store still has them.
  var originals: [Original] = []

  init(_ registration: EntityRegistration, keys: KeyOrder) {
    self.registration = registration
    self.keys = keys
    values = [StoreValue](repeating: .null, count: registration.entity.properties.count)
  }

  /// Returns the value of a property, null if the object has none.
  ///
  /// - Throws: `SwiftDataError.modelValidationFailure` if it cannot be encoded.
  func value(of index: Int, in model: any PersistentModel) throws -> StoreValue {
    values[index] = .null
    model._$write(index, to: self)
    guard let failure else { return values[index] }
    throw SwiftDataError.modelValidationFailure.with(
      "the value cannot be encoded; nothing was saved",
      entity: registration.entity.name,
      property: registration.entity.properties[failure.index].name,
      cause: failure.error
    )
  }

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
