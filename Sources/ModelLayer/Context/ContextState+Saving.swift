import Foundation
import ModelRuntime
import StoreProtocol

extension ContextState {
  /// Saves all pending changes, all or nothing in each store.
  ///
  /// - Throws: ``DataStoreError/notSaved`` if rows that the save depends on cannot be read.
  func save() throws {
    do {
      try saveEverything()
    } catch let error as DataStoreError where error.code == .io {
      throw DataStoreError(
        .notSaved,
        "the save failed, because rows that it depends on could not be read; save again",
        file: error.file,
        cause: error
      )
    }
  }

  private func saveEverything() throws {
    autosave.saveBegins()
    defer { autosave.saveEnds(self) }
    // Merging changes objects, also for a save that fails.
    pending.forgetValues()
    undo?.eventEnded()
    if changesDuringSave != nil { throw Self.savedWithinSave }
    if indeterminateSave != nil { try resolveIndeterminateSave() }
    if !unread.isEmpty { unread.forgetUnchanged() }
    try throwProblem()
    try unread.check()
    try faults.check()
    processDeletions()
    if hasChanges {
      NotificationCenter.default.post(name: ModelContext.willSave, object: handle)
      processPendingChanges()
    }
    do {
      try saveFollowing()
    } catch let error as DataStoreError where error.refusesBulkChange && !bulkChanges.isEmpty {
      // The support of a store may depend on its contents, which other saves have changed since.
      try carryOutBulkChanges()
      try saveFollowing()
    }
  }

  /// The error of a save by code that runs while a save reads values.
  private static let savedWithinSave = SwiftDataError.modelValidationFailure.with(
    "a value called save() while a save encoded it; save after the first save has ended"
  )

  /// Throws the first problem that was found where nothing could be thrown.
  func throwProblem() throws {
    if !problems.isEmpty { throw problems.removeFirst() }
  }

  /// Throws a problem that was found while the save was prepared.
  ///
  /// A relationship that could not be read counted as empty: delete rules missed its objects.
  private func throwNewProblem() throws {
    guard !problems.isEmpty else { return }
    pending.applyRulesAgain()
    // A store that could not be reached is the reason why nothing was saved.
    if let cause = problems[0].cause as? DataStoreError, cause.code == .io {
      problems.removeFirst()
      throw cause
    }
    try throwProblem()
  }

  /// Saves the changes once, unless a store refuses them.
  func saveChanges() throws {
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
      return applySavesOfOthers()
    }
    // Objects that were loaded meanwhile may have revealed rows that no longer exist.
    let isSame = !deleted.runs.contains(where: \.registration.hasRelationships)
    let unsaved = pending.objects(deleted: isSame ? deleted : pending.deletedObjects)
    try SaveValidation.check(unsaved, pending)
    if !unsaved.deleted.isEmpty { try DanglingReferenceCheck.check(unsaved.deleted, in: self) }
    let merged = try undo.map { _ in try MergedContents(in: self) }
    let changes = ChangesDuringSave(of: unsaved.encodesValues ? unsaved.changed : [])
    changesDuringSave = changes
    defer { endSave(changes) }
    let progress = try apply(plan(for: unsaved, changes), changes)
    if let undo {
      merged?.note(in: undo)
      undo.saved()
    }
    clearPending(except: changes.pending)
    endSave(changes)
    report(progress)
    applySavesOfOthers()
  }

  private func plan(
    for unsaved: PendingObjects,
    _ changes: ChangesDuringSave
  ) throws -> SavePlan {
    var plan = try SavePlan(
      unsaved,
      pending,
      bulkChanges.map { ($0.store, $0.effect) },
      editingState: editingState,
      origin: origin,
      requiresNew: requiresNewObjects,
      during: changes
    )
    for store in core.stores.all {
      guard let positions = readers[ObjectIdentifier(store)] else { continue }
      plan.append(positions, to: store, editingState)
    }
    try checkMergePolicy(plan)
    try throwNewProblem()
    return plan
  }

  private func apply(_ plan: SavePlan, _ changes: ChangesDuringSave) throws -> SaveProgress {
    var progress = SaveProgress(adoption: SaveAdoption(objects))
    do {
      for batch in plan.batches { try apply(batch, &progress) }
    } catch {
      endSave(changes)
      // The saves of earlier stores are not taken back.
      if !progress.merged.isEmpty { report(progress) }
      throw error
    }
    return progress
  }

  /// Stops noting changes during a save, after which code of the program may save again.
  private func endSave(_ changes: ChangesDuringSave) {
    guard changesDuringSave === changes else { return }
    changesDuringSave = nil
    changes.end()
  }

  private func apply(_ batch: SavePlan.Batch, _ progress: inout SaveProgress) throws {
    let applied = try apply(batch)
    if let edited = changesDuringSave?.edited, !edited.isEmpty {
      let keys = KeyOrder(inserting: pending.inserted)
      let edits = EditsDuringSave(since: batch, keys: keys, among: edited)
      progress.edits.append((edits, batch.named(applied.result)))
    }
    try finish(applied.merged.batch, with: applied.result, &progress.adoption)
    conclude(applied.merged, with: applied.result)
    progress.merged.append(applied.merged)
    progress.changedByStore += applied.result.changedByStore
  }

  private func report(_ progress: SaveProgress) {
    for (edits, result) in progress.edits { edits.mark(in: self, result) }
    if !progress.adoption.saved.deleted.isEmpty {
      for model in objects.observedModels { model.dropGoneNotifying() }
    }
    refreshMerged(progress.merged)
    readAgain(progress.changedByStore)
    // Relationships may have changed with rows that new objects were merged into.
    if progress.adoption.saved.hasMerged || hasOutdatedLists || !progress.changedByStore.isEmpty {
      unloadToMany()
    }
    announce(progress.adoption.saved)
  }

  /// Notifies other contexts and observers of what was saved.
  func announce(_ outcome: SavedIdentifiers) {
    let changes = outcome.changes
    feedPosition =
      core.saves.append(
        deleted: outcome.deleted,
        changes: changes,
        at: feedPosition,
        from: updater?.box
      ) ?? feedPosition
    if let changes, changes.affectsSavingContext {
      noteOutdated(changes.changedProperties(core.schema.storeSchema))
    }
    updater?.contextSaved(changes)
    NotificationCenter.default.post(
      name: ModelContext.didSave,
      object: handle,
      userInfo: outcome.userInfo
    )
  }

  /// Returns the values of properties that an object has as its row, as far as the object has read
  /// them.
  private func values(
    of required: Set<RequiredValues.PropertyKey>,
    in row: PersistentIdentifier
  ) -> [StoreUpdate.Change] {
    guard let registration = entry(of: row)?.registration,
      let model = registration.identityMap.model(for: row.key),
      model.registration === registration, !model._$state.flags.contains(.partial)
    else { return [] }
    return required.compactMap { key in
      guard key.root == registration.entity.root,
        let index = registration.entity.indexByName[key.property],
        model._$state.dirty & _ModelState.bit(index) == 0,
        case .value(let value) = reader.content(of: index, in: model)
      else { return nil }
      return StoreUpdate.Change(index, value)
    }
  }

  /// Clears the pending changes, except for later ones.
  private func clearPending(except later: PendingChanges = PendingChanges()) {
    bulkChanges = []
    readers = [:]
    let touched = later.touchedModels
    for (model, _) in pending.touched where !touched.contains(ObjectIdentifier(model)) {
      model.forgetMemberChanges()
    }
    pending = later
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
    if core.saves.isObserved {
      let required = currentProperties()
      let named = batch.named(result)
      adoption.saved.note(batch.changes, named, schema: core.schema.storeSchema) {
        values(of: required, in: $0)
      }
      if !batch.unseen.isEmpty { adoption.saved.noteUnseen() }
    }
    bulkChanges.removeAll { $0.store === batch.store }
    finish(try adoption.adopt(batch, with: result, isLate: isLate), of: batch)
  }

  /// Updates objects in memory to the rows that new ones were merged into.
  ///
  /// The save is complete in any case; the next one reports rows that could not be read.
  private func finish(_ merges: SaveMerges, of batch: SavePlan.Batch) {
    for model in merges.leftModels { updater?.noteMembershipChange(of: model) }
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
  var edits: [(edits: EditsDuringSave, result: StoreChangesResult)] = []
}
