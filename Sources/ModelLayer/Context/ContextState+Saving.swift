import Foundation
import StoreProtocol

extension ContextState {
  /// Writes all pending changes, all or nothing in each store.
  func save() throws {
    autosave.saveBegins()
    defer { autosave.saveEnds(self) }
    undo?.eventEnded()
    try settleDoubt()
    unread.forgetUnchanged()
    if !problems.isEmpty { throw problems.removeFirst() }
    try unread.check()
    try faults.check()
    processPendingChanges()
    if hasChanges {
      NotificationCenter.default.post(name: ModelContext.willSave, object: handle)
      processPendingChanges()
    }
    // A store makes its bulk changes before all else; what else there is may look at what they change.
    if try !pending.isEmpty || !storesTakeBulkChanges() { try carryOutBulkChanges() }
    let deleted = pending.deletedObjects
    let forgotten = pending.forgotten
    try SaveValidation.checkDeletions(deleted.runs)
    releaseOthers(of: deleted.runs + EntityRun.runs(of: forgotten))
    for model in forgotten {
      forget(model)
      model.letGoOfRelated { _ in true }
    }
    guard hasChanges || !readers.isEmpty else {
      clearPending()
      return
    }
    // What was loaded meanwhile may have told of rows that are gone.
    let isSame = !deleted.runs.contains(where: \.registration.hasRelationships)
    let objects = pending.objects(deleted: isSame ? deleted : pending.deletedObjects)
    try SaveValidation.check(objects, pending)
    try LostTargets.check(objects.deleted, in: self)
    var plan = try SavePlan(
      objects,
      pending,
      bulkChanges,
      editingState: editingState,
      origin: origin,
      requiresNew: requiresNewObjects,
      // Who watches is told of each row with its values, and versions are compared row by row.
      takesSources: !core.changes.feed.isWatched && !mergePolicy.needsVersions
    )
    for backend in core.backends.all {
      guard let positions = readers[ObjectIdentifier(backend)] else { continue }
      plan.append(positions, to: backend, editingState)
    }
    try checkMergePolicy(plan)
    var progress = SaveProgress()
    do {
      for batch in plan.batches { try apply(batch, &progress) }
    } catch {
      // What earlier stores have saved stands.
      if !progress.merged.isEmpty { tell(progress) }
      throw error
    }
    clearPending()
    tell(progress)
  }

  private func apply(_ batch: SavePlan.Batch, _ progress: inout SaveProgress) throws {
    let applied = try apply(batch)
    try finish(applied.merged.batch, with: applied.result, outcome: &progress.outcome)
    conclude(applied.merged, with: applied.result)
    progress.merged.append(applied.merged)
  }

  private func tell(_ progress: SaveProgress) {
    refreshMerged(progress.merged)
    // Who belongs to whom may have changed with rows that new objects were merged into.
    if progress.outcome.hasMerged { foldToMany() }
    announce(progress.outcome)
  }

  /// Tells other contexts and observers what was saved.
  func announce(_ outcome: SavedIdentifiers) {
    core.changes.post(deleted: outcome.deleted, changes: outcome.changes, from: self)
    seenGeneration &+= 1
    keeper?.contextSaved(outcome.changes)
    NotificationCenter.default.post(
      name: ModelContext.didSave,
      object: handle,
      userInfo: outcome.userInfo
    )
  }

  /// Returns the values that observers require, of an object whose row certainly has them.
  private func requiredValues(of row: PersistentIdentifier) -> [StoreUpdate.Change] {
    guard let registration = place(of: row)?.registration,
      let model = registration.identityMap.model(for: row.key),
      model.registration === registration, !model._$state.flags.contains(.partial)
    else { return [] }
    return core.changes.feed.required(of: registration.entity, seen: seenSave)
      .compactMap { index in
        guard model._$state.dirty & _ModelState.bit(index) == 0,
          case .value(let value) = reader.content(of: index, in: model)
        else { return nil }
        return StoreUpdate.Change(index, value)
      }
  }

  func forget(_ model: any PersistentModel) {
    model.detach(adding: .deleted)
    deletions &+= 1
  }

  private func clearPending() {
    bulkChanges = []
    readers = [:]
    for (model, _) in pending.touched { model.forgetMemberChanges() }
    pending = PendingChanges()
  }

  /// Has the objects of a batch be what the store has made of them.
  ///
  /// - Parameters:
  ///   - batch: What the store has applied.
  ///   - result: What it answered.
  ///   - outcome: What is told of the save.
  ///   - isLate: Whether the program went on meanwhile, so that members may have joined since.
  /// - Throws: ``DataStoreError/outcomeUnknown`` when the store gives no identifier for a new object.
  func finish(
    _ batch: SavePlan.Batch,
    with result: StoreChangesResult,
    outcome: inout SavedIdentifiers,
    isLate: Bool = false
  ) throws {
    if core.changes.feed.isWatched {
      outcome.note(
        batch.changes,
        result,
        schema: core.schema.storeSchema,
        known: requiredValues
      )
    }
    outcome.note(batch.changes.saveIdentifier, result, of: batch.backend)
    noteBulkChanges(batch.bulkChanges, result, &outcome)
    outcome.deleted.reserveCapacity(
      outcome.deleted.count + batch.deletedRuns.reduce(0) { $0 + $1.models.count }
    )
    for run in batch.deletedRuns {
      let registration = run.registration
      for model in run.models {
        let identifier = registration.identifier(of: model, key: model._$state.key)
        outcome.deleted.append(identifier)
        registration.identityMap.remove(identifier.key)
        forget(model)
        if registration.hasRelationships { model.letGoOfRelated { _ in true } }
      }
    }
    outcome.updated.reserveCapacity(
      outcome.updated.count + batch.changedRuns.reduce(0) { $0 + $1.models.count }
    )
    for run in batch.changedRuns {
      let registration = run.registration
      for model in run.models {
        let key = model._$state.endChanges()
        outcome.updated.append(registration.identifier(of: model, key: key))
        if !isLate, registration.hasRelationships { model.forgetMemberChanges() }
      }
    }
    if batch.changes.inserted.isEmpty, !batch.sources.isEmpty {
      return try finish(batch.sources, with: result, outcome: &outcome)
    }
    var merges = SaveMerges()
    for model in batch.inserted {
      let temporary = model.persistentModelID
      guard let permanent = result.remapped[temporary] else {
        throw Self.nameless(entity: temporary.entityName)
      }
      let isMerged = !result.merged.isEmpty && result.merged.contains(temporary)
      if isMerged { merges.note(permanent) }
      if !settle(model, as: permanent, version: result.version) {
        merges.note(model, became: permanent)
      }
      if isMerged {
        outcome.updated.append(permanent)
      } else {
        outcome.inserted.append(permanent)
      }
    }
    finish(merges, of: batch)
    outcome.hasMerged = outcome.hasMerged || !result.merged.isEmpty
  }

  /// Gives new objects that no stored row can equal the keys of their rows.
  private func finish(
    _ sources: [ObjectSource],
    with result: StoreChangesResult,
    outcome: inout SavedIdentifiers
  ) throws {
    outcome.inserted.reserveCapacity(
      sources.reduce(outcome.inserted.count) { $0 + $1.count }
    )
    for (index, source) in sources.enumerated() {
      guard result.firstKeys.indices.contains(index) else {
        throw Self.nameless(entity: source.entityName)
      }
      let registration = source.registration
      var key = result.firstKeys[index]
      for model in source.models {
        if let extra = model.existingExtra {
          extra.originals = .none
          model.forgetMemberChanges()
        }
        model._$state.settle(key: key, version: result.version)
        outcome.inserted.append(
          PersistentIdentifier(scope: registration.scope, key: .integer(key))
        )
        key += 1
      }
      register(source.models, from: result.firstKeys[index], in: registration)
    }
  }

  private static func nameless(entity: String) -> DataStoreError {
    DataStoreError(
      .outcomeUnknown,
      "the store saved a new object and returned no permanent identifier for it in "
        + "StoreChangesResult.remapped; open the store again to see what it has",
      entity: entity
    )
  }

  /// Has objects in memory follow the rows that new ones were merged into.
  ///
  /// The save stands whatever happens now; what cannot be read is told by the next one.
  private func finish(_ merges: SaveMerges, of batch: SavePlan.Batch) {
    do {
      try merges.finish(batch, in: self)
    } catch {
      problems.append(
        .modelValidationFailure.with(
          "the save before stored new objects as updates of others, which could then not be read "
            + "again; refresh them",
          entity: batch.inserted.first?.registration?.entity.name,
          cause: error
        )
      )
    }
  }

  /// Gives a new object its permanent identity.
  ///
  /// Where the context has an object of that identity already, because the new one became an
  /// update of its row, that object stays and the new one leaves the context. So it does where the
  /// row is of another class.
  ///
  /// - Returns: Whether the object stays.
  private func settle(
    _ model: any PersistentModel,
    as permanent: PersistentIdentifier,
    version: Int64
  ) -> Bool {
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
    model.existingExtra?.originals = .none
    let number = permanent.integerKey
    model._$state.settle(key: number ?? .min, version: version)
    if number == nil { model.modelExtra.identifier = permanent }
    register(model, key: permanent.key, in: registration)
    return true
  }
}

/// What the stores of a save have done so far.
private struct SaveProgress {
  var outcome = SavedIdentifiers()
  var merged: [MergedBatch] = []
}

extension _ModelState {
  /// Makes the state that of an object whose row was just written.
  fileprivate mutating func settle(key: Int64, version: Int64) {
    flags.remove([.inserted, .changed])
    dirty = 0
    self.key = key
    self.version = version
  }
}
