import Foundation
import ModelRuntime
import StoreProtocol

// A store may throw after its point of no return. The context then asks the store for the outcome
// of the save: at once, and before each later save or fetch until the outcome is known.

extension ContextState {
  /// Sends a save to its store, and resolves the outcome if the store does not know it.
  ///
  /// - Throws: ``DataStoreError/outcomeUnknown`` if the outcome is still unknown.
  func send(_ save: inout Save) throws {
    _ = try core.saves.during(save.store) {
      do {
        try save.apply { RelatedObjects(self.relatedObjects(inserted: $0)) }
      } catch let error as DataStoreError where save.state == .indeterminate {
        try settle(&save, after: error)
      }
      return save.result
    }
  }

  private func settle(_ save: inout Save, after error: DataStoreError) throws {
    guard let isSaved = try? save.settle() else {
      indeterminateSave = save
      throw error
    }
    if isSaved { return }
    throw DataStoreError(
      .notSaved,
      "the save failed, and the store confirmed that nothing was saved; save again",
      file: error.file,
      cause: error
    )
  }

  /// Resolves the outcome of an earlier save, before the next one begins.
  ///
  /// When this returns, everything that was stored counts as saved. All that was not stored, or was
  /// changed since, is pending.
  ///
  /// - Throws: ``DataStoreError/outcomeUnknown`` if the outcome is still unknown.
  func resolveIndeterminateSave() throws {
    guard var save = indeterminateSave else { return }
    let isSaved: Bool
    do {
      isSaved = try save.settle()
    } catch {
      throw DataStoreError(
        .outcomeUnknown,
        "the outcome of an earlier save is still unknown; save again, or reset the context and "
          + "fetch",
        cause: error
      )
    }
    indeterminateSave = nil
    if isSaved { try finish(late: save) }
  }

  private func finish(late save: Save) throws {
    var asked = save
    asked.result = save.namedResult
    let edits = EditsDuringSave(since: asked, keys: KeyOrder(inserting: pending.inserted))
    let undeleted = asked.deleted.filter { isMember($0) && !$0.isMarkedDeleted }
    var remaining = remaining(asked)
    core.saves.note(asked.result, of: asked.store)
    try finish(&remaining, isLate: true)
    conclude(asked)
    refreshMerged([asked])
    mark(edits, asked.result)
    // An object that was deleted and then inserted again becomes a new one.
    for model in undeleted {
      model.registration?.identityMap.remove(model.persistentModelID.key)
      objects.forget(model)
      if !asked.isRolledBack { insertGraph(model) }
    }
    // The values that a rollback restored are not the stored ones.
    if asked.isRolledBack { refresh(remaining.changed) }
    if !asked.result.merged.isEmpty { unloadToMany() }
    updater?.noteEverything()
    asked.noteRows()
    let schema = core.schema.storeSchema
    asked.observed = SavedChanges(asked.changes, asked.result, schema: schema) { _ in [] }
    announce([asked])
  }

  /// The part of a save whose objects are still of this context and wait to be saved.
  private func remaining(_ save: Save) -> Save {
    var save = save
    save.inserted = save.inserted.filter { isMember($0) && $0._$state.flags.contains(.inserted) }
    // An object that has left the context since may have returned as a new one.
    save.changed = save.changed.filter { isMember($0) && !isNew($0) }
    save.deleted = save.deleted.filter { isMember($0) && $0.isMarkedDeleted && !isNew($0) }
    return save
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
