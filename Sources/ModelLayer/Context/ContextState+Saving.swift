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
    do {
      try saveChanges()
    } catch let error as DataStoreError where error.refusesBulkChange && !bulkChanges.isEmpty {
      // The support of a store may depend on its contents, which other saves have changed since.
      try carryOutBulkChanges()
      try saveChanges()
    }
  }

  private func saveChanges() throws {
    // A store applies its bulk changes first; other changes may look at what they change.
    if !pending.isEmpty { try carryOutBulkChanges() }
    let deleted = pending.deletedObjects
    let forgotten = pending.forgotten
    try SaveValidation.checkDeletions(deleted.runs)
    releaseOthers(of: deleted.runs + EntityRun.runs(of: forgotten))
    for model in forgotten {
      objects.forget(model)
      model.releaseRelated { _ in true }
    }
    guard hasChanges || !readers.isEmpty else {
      clearPending()
      return
    }
    // Objects that were loaded meanwhile may have revealed rows that no longer exist.
    let isSame = !deleted.runs.contains(where: \.registration.hasRelationships)
    let unsaved = pending.objects(deleted: isSame ? deleted : pending.deletedObjects)
    try SaveValidation.check(unsaved, pending)
    try DanglingReferenceCheck.check(unsaved.deleted, in: self)
    var plan = try SavePlan(
      unsaved,
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
    var progress = SaveProgress(adoption: SaveAdoption(objects))
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
    try finish(applied.merged.batch, with: applied.result, &progress.adoption)
    conclude(applied.merged, with: applied.result)
    progress.merged.append(applied.merged)
    progress.changedByStore += applied.result.changedByStore
  }

  private func report(_ progress: SaveProgress) {
    refreshMerged(progress.merged)
    readAgain(progress.changedByStore)
    // Relationships may have changed with rows that new objects were merged into.
    if progress.adoption.saved.hasMerged { unloadToMany() }
    announce(progress.adoption.saved)
  }

  /// Notifies other contexts and observers of what was saved.
  func announce(_ outcome: SavedIdentifiers) {
    let changes = outcome.changes
    seen =
      core.changes.post(deleted: outcome.deleted, changes: changes, from: seen, updater?.box)
      ?? seen
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

  private func clearPending() {
    bulkChanges = []
    readers = [:]
    for (model, _) in pending.touched { model.forgetMemberChanges() }
    pending = PendingChanges()
  }

  /// Applies the store's result to the objects of a batch, and to their observers.
  ///
  /// - Throws: ``DataStoreError/outcomeUnknown`` if the store returned no identifier for a new
  ///   object.
  func finish(
    _ batch: SavePlan.Batch,
    with result: StoreChangesResult,
    _ adoption: inout SaveAdoption,
    isLate: Bool = false
  ) throws {
    if core.changes.feed.isWatched {
      adoption.saved.note(
        batch.changes,
        result,
        schema: core.schema.storeSchema,
        requiredValues: requiredValues
      )
    }
    bulkChanges.removeAll { $0.backend === batch.backend }
    finish(try adoption.adopt(batch, with: result, isLate: isLate), of: batch)
  }

  /// Updates objects in memory to the rows that new ones were merged into.
  ///
  /// The save is complete in any case; the next one reports rows that could not be read.
  private func finish(_ merges: SaveMerges, of batch: SavePlan.Batch) {
    do {
      try merges.finish(batch, registration(named:)) { try fetchRows($0, of: $1) }
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
}

extension DataStoreError {
  /// Whether a store throws this for a bulk change that it does not support.
  fileprivate var refusesBulkChange: Bool { code == .unsupportedFeature || code == .invalidValue }
}

/// The results of the stores of a save so far.
private struct SaveProgress {
  var adoption: SaveAdoption
  var merged: [MergedBatch] = []
  var changedByStore: [PersistentIdentifier] = []
}
