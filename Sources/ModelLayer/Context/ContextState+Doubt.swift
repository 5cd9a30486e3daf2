import Foundation
import StoreProtocol

// A store may throw after its point of no return. Then it is asked what became of the save: at once,
// and before each later save or fetch as long as it cannot tell.

extension ContextState {
  /// Has a store apply a batch, and finds out what became of it where the store does not know.
  ///
  /// - Throws: ``DataStoreError/outcomeUnknown`` when nobody can tell yet.
  func applied(_ merged: MergedBatch) throws -> StoreChangesResult {
    do {
      let backend = merged.batch.backend
      guard core.changes.feed.isWatched else { return try backend.apply(merged.batch) }
      return try core.changes.feed.others.during(backend) { try backend.apply(merged.batch) }
    } catch let error as DataStoreError where error.code == .outcomeUnknown {
      let doubt = try SaveDoubt(merged: merged.withRecords())
      switch Result(catching: { try doubt.outcome() }) {
      case .success(.saved(let result)): return result
      case .success(.notSaved):
        throw DataStoreError(
          .notSaved,
          "the store failed and found out that nothing was saved; save again",
          file: error.file,
          cause: error
        )
      case .failure:
        self.doubt = doubt
        throw error
      }
    }
  }

  /// Finds out what became of an earlier save, before the next one begins.
  ///
  /// When this returns, what was saved counts as saved, and all that was not, or was changed since,
  /// is pending.
  ///
  /// - Throws: ``DataStoreError/outcomeUnknown`` when nobody can tell yet.
  func settleDoubt() throws {
    guard let doubt else { return }
    let outcome: SaveOutcome
    do {
      outcome = try doubt.outcome()
    } catch {
      throw DataStoreError(
        .outcomeUnknown,
        "the store cannot tell yet what became of an earlier save; save again, or reset the context "
          + "and fetch",
        cause: error
      )
    }
    self.doubt = nil
    if case .saved(let result) = outcome { try finish(doubt, with: result) }
  }

  private func finish(_ doubt: SaveDoubt, with result: StoreChangesResult) throws {
    let asked = doubt.merged.batch
    let result = asked.named(result)
    let edits = LaterEdits(since: asked, keys: KeyOrder(inserting: pending.inserted))
    let regretted = asked.deleted.filter { isHere($0) && !$0.isMarkedDeleted }
    let batch = stillHere(asked)
    var noted = SavedIdentifiers()
    try finish(batch, with: result, outcome: &noted, isLate: true)
    concludeLate(doubt.merged, with: result)
    edits.mark(in: self, result)
    // Whoever deleted an object and then wants it nevertheless gets it as a new one.
    for model in regretted {
      model.registration?.identityMap.remove(model.persistentModelID.key)
      forget(model)
      if !doubt.isRolledBack { insertGraph(model) }
    }
    // What a rollback has put back is not what is stored.
    if doubt.isRolledBack { refresh(batch.changed) }
    if noted.hasMerged { foldToMany() }
    keeper?.noteEverything()
    var told = SavedIdentifiers(asked.changes, result)
    told.note(asked.changes.saveIdentifier, result, of: asked.backend)
    told.note(asked.changes, result, schema: core.schema.storeSchema) { _ in [] }
    announce(told)
  }

  /// The part of a batch whose objects are still of this context and wait to be saved.
  private func stillHere(_ batch: SavePlan.Batch) -> SavePlan.Batch {
    var batch = batch
    batch.inserted = batch.inserted.filter { isHere($0) && $0._$state.flags.contains(.inserted) }
    batch.changed = batch.changed.filter { isHere($0) && !isNew($0) }
    batch.deleted = batch.deleted.filter { isHere($0) && $0.isMarkedDeleted && !isNew($0) }
    return batch
  }

  /// Whether an object has left the context since, and come back as a new one.
  private func isNew(_ model: any PersistentModel) -> Bool {
    model._$state.flags.contains(.inserted)
  }

  private func isHere(_ model: any PersistentModel) -> Bool {
    model.registration?.context === self
  }

  /// Brings objects to their rows, below their unsaved changes.
  private func refresh(_ models: [any PersistentModel]) {
    let present = models.filter { isHere($0) && !$0.isMarkedDeleted }
    for case (let registration?, let models) in Dictionary(grouping: present, by: \.registration) {
      // The save stands whatever happens now; the next fetch reads what could not be read.
      try? refresh(models, of: registration, true)
    }
  }
}
