import Foundation
import ModelRuntime
import StoreProtocol

extension ContextState {
  /// Saves all pending changes, all or nothing in each store.
  func save() throws {
    autosave.saveBegins()
    defer { autosave.saveEnds(self) }
    undo?.eventEnded()
    try resolveIndeterminateSave()
    unread.forgetUnchanged()
    if !problems.isEmpty { throw problems.removeFirst() }
    try unread.check()
    try faults.check()
    processPendingChanges()
    if hasChanges {
      NotificationCenter.default.post(name: ModelContext.willSave, object: handle)
      processPendingChanges()
    }
    // A store applies its bulk changes first; other changes may look at what they change.
    if try !pending.isEmpty || !storesTakeBulkChanges() { try carryOutBulkChanges() }
    let deleted = pending.deletedObjects
    let forgotten = pending.forgotten
    try SaveValidation.checkDeletions(deleted.runs)
    releaseOthers(of: deleted.runs + EntityRun.runs(of: forgotten))
    for model in forgotten {
      forget(model)
      model.releaseRelated { _ in true }
    }
    guard hasChanges || !readers.isEmpty else {
      clearPending()
      return
    }
    // Objects that were loaded meanwhile may have revealed rows that no longer exist.
    let isSame = !deleted.runs.contains(where: \.registration.hasRelationships)
    let objects = pending.objects(deleted: isSame ? deleted : pending.deletedObjects)
    try SaveValidation.check(objects, pending)
    try DanglingReferenceCheck.check(objects.deleted, in: self)
    var plan = try SavePlan(
      objects,
      pending,
      bulkChanges.map { ($0.backend, $0.change) },
      editingState: editingState,
      origin: origin,
      requiresNew: requiresNewObjects,
      // Observers are notified of each row with its values, and versions are compared row by row.
      readsSources: !core.changes.feed.isWatched && !mergePolicy.needsVersions
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
      // The saves of earlier stores are not taken back.
      if !progress.merged.isEmpty { report(progress) }
      throw error
    }
    clearPending()
    report(progress)
  }

  private func apply(_ batch: SavePlan.Batch, _ progress: inout SaveProgress) throws {
    let applied = try apply(batch)
    try finish(applied.merged.batch, with: applied.result, outcome: &progress.outcome)
    conclude(applied.merged, with: applied.result)
    progress.merged.append(applied.merged)
  }

  private func report(_ progress: SaveProgress) {
    refreshMerged(progress.merged)
    // Relationships may have changed with rows that new objects were merged into.
    if progress.outcome.hasMerged { unloadToMany() }
    announce(progress.outcome)
  }

  /// Notifies other contexts and observers of what was saved.
  func announce(_ outcome: SavedIdentifiers) {
    let changes = outcome.changes
    seen =
      core.changes.post(deleted: outcome.deleted, changes: changes, from: seen, updater?.box) ?? seen
    updater?.contextSaved(changes)
    NotificationCenter.default.post(
      name: ModelContext.didSave,
      object: handle,
      userInfo: outcome.userInfo
    )
  }

  /// Returns the values that observers require of an object, if these are certainly the values of
  /// its row.
  private func requiredValues(of row: PersistentIdentifier) -> [StoreUpdate.Change] {
    guard let registration = entry(of: row)?.registration,
      let model = registration.identityMap.model(for: row.key),
      model.registration === registration, !model._$state.flags.contains(.partial)
    else { return [] }
    return core.changes.feed.required(of: registration.entity, seen: seen.save)
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

  /// Applies the store's result to the objects of a batch.
  ///
  /// - Parameters:
  ///   - batch: The batch that the store has applied.
  ///   - result: The result of the store.
  ///   - outcome: The changes that the save reports.
  ///   - isLate: Whether the program continued meanwhile, so that related objects may have been
  ///     added since.
  /// - Throws: ``DataStoreError/outcomeUnknown`` if the store returned no identifier for a new
  ///   object.
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
        requiredValues: requiredValues
      )
    }
    outcome.note(batch.changes.saveIdentifier, result, of: batch.backend)
    if !batch.changes.bulkChanges.isEmpty { noteBulkChanges(of: batch.backend, result, &outcome) }
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
        if registration.hasRelationships { model.releaseRelated { _ in true } }
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
      if !adoptSave(model, as: permanent, version: result.version) {
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

  /// Assigns row keys to new objects that cannot have become updates of stored rows.
  private func finish(
    _ sources: [ObjectRowProducer],
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
        model._$state.adoptSave(key: key, version: result.version)
        outcome.inserted.append(
          PersistentIdentifier(scope: registration.scope, key: .integer(key))
        )
        key += 1
      }
      objects.register(source.models, from: result.firstKeys[index], in: registration)
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

  /// Updates objects in memory to the rows that new ones were merged into.
  ///
  /// The save is complete in any case; the next one reports rows that could not be read.
  private func finish(_ merges: SaveMerges, of batch: SavePlan.Batch) {
    do {
      try merges.finish(batch, in: self)
    } catch {
      problems.append(
        .modelValidationFailure.with(
          "the previous save merged new objects into stored ones, which could not be read "
            + "afterward; refresh them",
          entity: batch.inserted.first?.registration?.entity.name,
          cause: error
        )
      )
    }
  }

  /// Gives a new object its permanent identity.
  ///
  /// The context may have an object of that identity already, if the new one became an update of
  /// its row. That object then stays, and the new one leaves the context. The new one also leaves
  /// if the row is of another class.
  ///
  /// - Returns: Whether the object stays.
  private func adoptSave(
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
    model._$state.adoptSave(key: number ?? .min, version: version)
    if number == nil { model.modelExtra.identifier = permanent }
    objects.register(model, key: permanent.key, in: registration)
    return true
  }
}

/// The results of the stores of a save so far.
private struct SaveProgress {
  var outcome = SavedIdentifiers()
  var merged: [MergedBatch] = []
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
