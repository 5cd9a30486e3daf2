import Foundation
import ModelRuntime
import StoreProtocol

// A store may throw after its point of no return. The save then asks the store for its outcome: at
// once, and before each later save or fetch until the outcome is known.

extension Saver {
  /// Resolves the outcome of a save that its store does not know.
  ///
  /// - Throws: ``DataStoreError/outcomeUnknown`` if the outcome is still unknown.
  func settle(_ save: inout Save, after error: DataStoreError) throws {
    guard let isSaved = try? save.settle() else {
      indeterminate = save
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
  func resolveIndeterminate() throws {
    guard var save = indeterminate else { return }
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
    indeterminate = nil
    save.result = save.namedResult
    if isSaved { try completeLate(save) }
  }

  /// Completes a save that is stored, as is known only now; changes made since are kept.
  private func completeLate(_ asked: Save) throws {
    let edits = EditsDuringSave(since: asked, keys: KeyOrder(inserting: context.pending.inserted))
    let undeleted = asked.deleted.filter { context.isMember($0) && !$0.isMarkedDeleted }
    var remaining = remaining(asked)
    context.feed.position = context.core.saves.note(asked.store) {
      (asked.result.version, SaveFeed.Entry(deleted: asked.removed), context.feed.position)
    }
    try adopt(&remaining, isLate: true)
    adoptVersions(of: asked)
    refreshMerged([asked])
    mark(edits, asked.result)
    // An object that was deleted and then inserted again becomes a new one.
    for model in undeleted {
      model.registration?.identityMap.remove(model.persistentModelID.key)
      context.objects.forget(model)
      if !asked.isRolledBack { context.insertGraph(model) }
    }
    // The values that a rollback restored are not the stored ones.
    if asked.isRolledBack { refresh(remaining.changed) }
    if !asked.result.merged.isEmpty { context.feed.unloadToMany() }
    context.updater?.noteEverything()
    announceAll(of: asked)
  }

  /// Announces all rows of a save, whatever has become of their objects since.
  private func announceAll(of save: Save) {
    var save = save
    save.noteRows()
    let schema = context.core.schema.storeSchema
    let store = save.store.identifier
    save.observed = SavedChanges(save.changes, save.result, store: store, schema: schema) { _ in
      []
    }
    announce([save])
  }

  /// The part of a save whose objects are still of the context and wait to be saved.
  private func remaining(_ save: Save) -> Save {
    var save = save
    save.inserted = save.inserted.filter { context.isMember($0) && context.isNew($0) }
    // An object that has left the context since may have returned as a new one.
    save.changed = save.changed.filter { context.isMember($0) && !context.isNew($0) }
    save.deleted = save.deleted.filter {
      context.isMember($0) && $0.isMarkedDeleted && !context.isNew($0)
    }
    return save
  }

  /// Updates objects to their rows, below their unsaved changes.
  private func refresh(_ models: [any PersistentModel]) {
    let present = models.filter { context.isMember($0) && !$0.isMarkedDeleted }
    for case (let registration?, let models) in Dictionary(grouping: present, by: \.registration) {
      // The save is complete in any case; the next fetch reads what could not be read.
      try? context.loader.refresh(models, of: registration, true)
    }
  }
}
