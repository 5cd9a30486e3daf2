import ModelRuntime
import StoreProtocol

/// The part of a save for one store: its objects, its changes, and their result.
///
/// Each store applies its part atomically, one store after the other. A save is a value: an attempt
/// after a conflict begins with the planned one, so that none builds upon what a store has refused.
/// Objects change when their store has the changes, and not before: until then, an error leaves the
/// context as it was.
///
/// | state | entered by | left by | a throw here leaves |
/// |---|---|---|---|
/// | planned | all values that need code of the program are encoded | ``apply(_:)`` | all changes pending |
/// | conflicted | the store threw ``DataStoreError/conflict`` | ``resolved(by:after:)`` → planned | all changes pending; the error has the conflicts |
/// | indeterminate | the store threw ``DataStoreError/outcomeUnknown`` | ``settle()`` → stored, or planned if nothing was saved | all changes pending; the context keeps the save, and asks again before its next save or fetch |
/// | stored | the store returned a result | ``adopt(in:isLate:)`` | all changes pending, which the store has: it named no key of a new object |
/// | adopted | the objects have their keys and versions | `Saver.announce` | – (what cannot be read again is a problem of the next save) |
/// | announced | other contexts, observers and the program are notified | the save ends | – |
///
/// Of several stores, an error of one leaves those before it announced and those after it planned.
struct Save {
  /// The states until the announcement, with which the save ends.
  enum State { case planned, conflicted, indeterminate, stored, adopted }

  var state = State.planned
  let store: any RecordStore
  /// The changes to apply.
  var changes: StoreChanges
  /// The new objects, in runs of one entity, as the changes have them.
  var insertedRuns: [EntityRun] = []
  var changedRuns: [EntityRun] = []
  /// The objects to remove, in runs of one entity.
  var deletedRuns: [EntityRun] = []
  /// The changed rows that no object of the context has.
  var unseen: [PersistentIdentifier] = []

  /// Whether rows are expected at the versions from which their objects were read.
  var comparesVersions = false
  /// Objects whose rows others had changed, to be read again after the save.
  var refreshed: [any PersistentModel] = []
  /// Objects that others had deleted.
  var vanished: [any PersistentModel] = []
  /// Objects whose deletion was reverted.
  var kept: [any PersistentModel] = []

  /// Whether the program has rolled back since the outcome is unknown.
  var isRolledBack = false
  /// The result of the store.
  var result = StoreChangesResult()
  /// The changes that the program made since the values were read, if there are any.
  var edits: EditsDuringSave?

  var insertedRows: [PersistentIdentifier] = []
  var updatedRows: [PersistentIdentifier] = []
  var deletedRows: [PersistentIdentifier] = []
  /// The rows that new objects were merged into.
  var mergedRows: Set<PersistentIdentifier> = []
  /// The new objects that left the context, because their rows have other objects.
  var left: [(model: any PersistentModel, became: PersistentIdentifier)] = []
  /// Whether there were observers when the store had the changes.
  var isObserved = false
  /// The changes by row and property, if there were observers.
  var observed: SavedChanges?

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

  /// The rows that the store has removed; others may have removed some before.
  var removed: [PersistentIdentifier] {
    result.deleted.isEmpty ? changes.deleted : result.deleted + changes.deleted
  }

  /// The objects whose rows the save changes or removes.
  var models: [any PersistentModel] {
    let updated = Set(changes.updates.flatMap(\.identifiers))
    return changed.filter { updated.contains($0.persistentModelID) } + deleted
  }

  /// Applies the changes to the store, all or nothing.
  ///
  /// - Parameter related: Returns a search among some new objects and the stored ones, for the
  ///   snapshots of other types.
  /// - Throws: The errors of the store; it is then conflicted, indeterminate, or still planned.
  mutating func apply(_ related: ([any PersistentModel]) -> RelatedObjects) throws {
    do {
      if let adapter = store as? any AdaptedStore {
        result = try adapter.apply(changes, related(inserted))
      } else {
        // The store's own files keep the kinds of values, whichever store is being called.
        result = try TypedSnapshotCoding.$current.withValue(nil) { try store.apply(changes) }
      }
      state = .stored
    } catch let error as DataStoreError where error == .conflict {
      state = .conflicted
      throw error
    } catch let error as DataStoreError where error == .outcomeUnknown {
      // The objects may change before the outcome is known.
      changes = changes.recorded
      state = .indeterminate
      throw error
    }
  }
}

extension Save {
  /// Applies the store's result to the objects.
  ///
  /// - Parameters:
  ///   - objects: The objects of the context.
  ///   - isLate: Whether the program continued meanwhile, so that related objects may have been
  ///     added since.
  /// - Throws: ``DataStoreError/outcomeUnknown`` if the store returned no identifier for a new
  ///   object.
  mutating func adopt(in objects: RegisteredObjects, isLate: Bool = false) throws {
    if !changes.bulkChanges.isEmpty {
      deletedRows = result.deleted
      updatedRows = result.updated
      if !result.deleted.isEmpty { objects.noteDeletions() }
    }
    updatedRows += unseen
    if !deletedRuns.isEmpty { adoptDeletions(in: objects) }
    if !changedRuns.isEmpty { adoptChanges(isLate: isLate) }
    if !insertedRuns.isEmpty { try adoptInsertions(in: objects) }
    state = .adopted
  }

  private mutating func adoptDeletions(in objects: RegisteredObjects) {
    deletedRows.reserveCapacity(deletedRuns.reduce(deletedRows.count) { $0 + $1.models.count })
    for run in deletedRuns {
      let registration = run.registration
      for model in run.models {
        let identifier = registration.identifier(of: model, key: model._$state.key)
        deletedRows.append(identifier)
        registration.identityMap.remove(identifier.key)
        objects.forget(model)
        if registration.hasRelationships { model.releaseRelated { _ in true } }
      }
    }
  }

  private mutating func adoptChanges(isLate: Bool) {
    updatedRows.reserveCapacity(changedRuns.reduce(updatedRows.count) { $0 + $1.models.count })
    for run in changedRuns {
      let registration = run.registration
      for model in run.models {
        let key = model._$state.endChanges()
        updatedRows.append(registration.identifier(of: model, key: key))
        if !isLate, registration.hasRelationships { model.forgetMemberChanges() }
      }
    }
  }

  private mutating func adoptInsertions(in objects: RegisteredObjects) throws {
    insertedRows.reserveCapacity(insertedRuns.reduce(0) { $0 + $1.models.count })
    for (index, run) in insertedRuns.enumerated() {
      let firstKey = result.firstKeys.indices.contains(index) ? result.firstKeys[index] : nil
      if let firstKey, result.remapped.isEmpty {
        adopt(run, from: firstKey, in: objects)
      } else {
        try adopt(run, naming: firstKey, in: objects)
      }
    }
  }

  /// Gives new objects their rows, some of which have other keys than the following ones.
  private mutating func adopt(
    _ run: EntityRun,
    naming firstKey: Int64?,
    in objects: RegisteredObjects
  ) throws {
    var key = firstKey
    for model in run.models {
      let temporary = model.persistentModelID
      let following = key.map {
        PersistentIdentifier(scope: run.registration.scope, key: .integer($0))
      }
      let named = result.remapped[temporary]
      guard let permanent = named ?? following else {
        throw Self.nameless(entity: temporary.entityName)
      }
      if named == nil { key? += 1 }
      let isMerged = !result.merged.isEmpty && result.merged.contains(temporary)
      if isMerged { mergedRows.insert(permanent) }
      if !adopt(model, as: permanent, in: objects) {
        left.append((model, permanent))
        mergedRows.insert(permanent)
      }
      if isMerged { updatedRows.append(permanent) } else { insertedRows.append(permanent) }
    }
  }

  /// Gives new objects consecutive keys; none has become an update of a stored row.
  private mutating func adopt(
    _ run: EntityRun,
    from firstKey: Int64,
    in objects: RegisteredObjects
  ) {
    let scope = run.registration.scope
    let version = result.version
    var key = firstKey
    for model in run.models {
      if let extra = model.existingExtra {
        extra.endChanges()
        model.forgetMemberChanges()
      }
      model._$state.adoptSave(key: key, version: version)
      insertedRows.append(PersistentIdentifier(scope: scope, key: .integer(key)))
      key += 1
    }
    objects.register(run.models, from: firstKey, in: run.registration)
  }

  private static func nameless(entity: String) -> DataStoreError {
    DataStoreError(
      .outcomeUnknown,
      "the store saved a new object and returned no permanent identifier for it in "
        + "StoreChangesResult.remapped; open the store again to see what it has",
      entity: entity
    )
  }

  /// Gives a new object its permanent identity.
  ///
  /// The context may have an object of that identity already, if the new one became an update of
  /// its row. That object then stays, and the new one leaves the context. The new one also leaves
  /// if the row is of another class.
  ///
  /// - Returns: Whether the object stays.
  private func adopt(
    _ model: any PersistentModel,
    as permanent: PersistentIdentifier,
    in objects: RegisteredObjects
  ) -> Bool {
    let version = result.version
    guard let registration = model.registration else {
      model._$state.version = version
      return true
    }
    model.forgetMemberChanges()
    if registration.identityMap.model(for: permanent.key) != nil
      || permanent.entityName != registration.entity.name
    {
      model.detach()
      model.modelExtra.identifier = permanent
      model._$state.version = version
      return false
    }
    model.existingExtra?.endChanges()
    let number = permanent.integerKey
    model._$state.adoptSave(key: number ?? .min, version: version)
    if number == nil { model.modelExtra.identifier = permanent }
    objects.register(model, key: permanent.key, in: registration)
    return true
  }
}

extension Save {
  /// The position of the save in the history of its store, or `nil` if the store keeps none.
  var token: (any HistoryToken)? {
    guard store is any HistoryKeeping else { return nil }
    if case .unsupported = store.capabilities.history { return nil }
    return DefaultHistoryToken(
      store.identifier,
      result.version,
      save: result.isInHistory ? changes.saveIdentifier : nil
    )
  }
}

extension _ModelState {
  /// Makes the state that of an object whose row was just written.
  fileprivate mutating func adoptSave(key: Int64, version: Int64) {
    flags.remove([.inserted, .changed])
    dirty = 0
    self.key = key
    self.version = version
  }
}
