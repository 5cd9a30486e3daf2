import Foundation
import ModelRuntime
import StoreProtocol

// A store may throw after its point of no return. The context then asks the store for the outcome
// of the save: at once, and before each later save or fetch until the outcome is known.

extension ContextState {
  /// Applies a batch to a store, and resolves the outcome if the store does not know it.
  ///
  /// - Throws: ``DataStoreError/outcomeUnknown`` if the outcome is still unknown.
  func applied(_ merged: MergedBatch) throws -> StoreChangesResult {
    try core.saves.during(merged.batch.store) { try appliedOnce(merged) }
  }

  private func appliedOnce(_ merged: MergedBatch) throws -> StoreChangesResult {
    do {
      let batch = merged.batch
      return try batch.apply(RelatedObjects(relatedObjects(inserted: batch.inserted)))
    } catch let error as DataStoreError where error.code == .outcomeUnknown {
      let indeterminateSave = IndeterminateSave(merged: merged.recorded)
      switch Result(catching: { try indeterminateSave.outcome() }) {
      case .success(.saved(let result)): return result
      case .success(.notSaved):
        throw DataStoreError(
          .notSaved,
          "the save failed, and the store confirmed that nothing was saved; save again",
          file: error.file,
          cause: error
        )
      case .failure:
        self.indeterminateSave = indeterminateSave
        throw error
      }
    }
  }

  /// Resolves the outcome of an earlier save, before the next one begins.
  ///
  /// When this returns, everything that was stored counts as saved. All that was not stored, or was
  /// changed since, is pending.
  ///
  /// - Throws: ``DataStoreError/outcomeUnknown`` if the outcome is still unknown.
  func resolveIndeterminateSave() throws {
    guard let indeterminateSave else { return }
    let outcome: SaveOutcome
    do {
      outcome = try indeterminateSave.outcome()
    } catch {
      throw DataStoreError(
        .outcomeUnknown,
        "the outcome of an earlier save is still unknown; save again, or reset the context and "
          + "fetch",
        cause: error
      )
    }
    self.indeterminateSave = nil
    if case .saved(let result) = outcome { try finish(indeterminateSave, with: result) }
  }

  private func finish(
    _ indeterminateSave: IndeterminateSave,
    with result: StoreChangesResult
  ) throws {
    let asked = indeterminateSave.merged.batch
    let result = asked.named(result)
    let edits = EditsDuringSave(since: asked, keys: KeyOrder(inserting: pending.inserted))
    let undeleted = asked.deleted.filter { isMember($0) && !$0.isMarkedDeleted }
    let batch = remaining(asked)
    var adoption = SaveAdoption(objects)
    core.saves.note(result, of: asked.store)
    try finish(batch, with: result, &adoption, isLate: true)
    concludeLate(indeterminateSave.merged, with: result)
    edits.mark(in: self, result)
    // An object that was deleted and then inserted again becomes a new one.
    for model in undeleted {
      model.registration?.identityMap.remove(model.persistentModelID.key)
      objects.forget(model)
      if !indeterminateSave.isRolledBack { insertGraph(model) }
    }
    // The values that a rollback restored are not the stored ones.
    if indeterminateSave.isRolledBack { refresh(batch.changed) }
    if adoption.saved.hasMerged { unloadToMany() }
    updater?.noteEverything()
    var outcome = SavedIdentifiers(asked.changes, result)
    outcome.note(asked.changes.saveIdentifier, result, of: asked.store)
    outcome.note(asked.changes, result, schema: core.schema.storeSchema) { _ in [] }
    announce(outcome)
  }

  /// The part of a batch whose objects are still of this context and wait to be saved.
  private func remaining(_ batch: SavePlan.Batch) -> SavePlan.Batch {
    var batch = batch
    batch.inserted = batch.inserted.filter { isMember($0) && $0._$state.flags.contains(.inserted) }
    // An object that has left the context since may have returned as a new one.
    batch.changed = batch.changed.filter { isMember($0) && !isNew($0) }
    batch.deleted = batch.deleted.filter { isMember($0) && $0.isMarkedDeleted && !isNew($0) }
    return batch
  }

  /// Updates objects to their rows, below their unsaved changes.
  private func refresh(_ models: [any PersistentModel]) {
    let present = models.filter { isMember($0) && !$0.isMarkedDeleted }
    for case (let registration?, let models) in Dictionary(grouping: present, by: \.registration) {
      // The save is complete in any case; the next fetch reads what could not be read.
      try? refresh(models, of: registration, true)
    }
  }
}
