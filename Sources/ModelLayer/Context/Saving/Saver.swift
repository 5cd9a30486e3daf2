import Foundation
import ModelRuntime
import StoreProtocol

/// Saves the unsaved changes of a context, by one ``Save`` for each store.
///
/// The code for deletions, bulk changes, conflicts and merges runs only for a save that has any.
///
/// Code of the program runs within a save: where values are encoded, conflicts are resolved and the
/// save is announced. It may change objects, or save again. The saver therefore keeps what is true
/// between these moments: that a save runs, what changed since it began, and the save whose outcome is
/// unknown.
final class Saver {
  // Unowned: a context has its saver as long as it exists.
  unowned let context: ContextState
  /// The kind of work that the context saves for.
  var origin = SaveOrigin.program
  /// Whether a new object with the unique values of a stored one is an error.
  var requiresNewObjects = false
  /// The policy of a save that conflicts with another save.
  var mergePolicy = MergePolicy.mergeByProperty
  /// Whether a save has begun to read the values of its objects, and not ended.
  private var isReading = false
  /// The changes since that moment, or `nil` if there are none.
  private(set) var existingChanges: ChangesDuringSave?
  /// Whether a save runs, which no autosave interrupts.
  private(set) var isSaving = false
  /// The save whose outcome is unknown.
  var indeterminate: Save?
  /// The positions of readers of the history that the next save keeps, by store.
  private var readers: [ObjectIdentifier: [HistoryReaderPosition]] = [:]

  init(_ context: ContextState) {
    self.context = context
  }

  /// The changes since a save began to read the values of its objects, while it does.
  var changesDuringSave: ChangesDuringSave? {
    guard isReading else { return nil }
    let changes = existingChanges ?? ChangesDuringSave()
    existingChanges = changes
    return changes
  }

  /// Adds the position of a reader of the history to the next save.
  func note(_ position: HistoryReaderPosition, of store: any RecordStore) {
    var positions = readers[ObjectIdentifier(store)] ?? []
    positions.removeAll { $0.name == position.name }
    readers[ObjectIdentifier(store)] = positions + [position]
  }

  /// Drops the positions of readers that the next save would keep.
  func forgetReaders() { readers = [:] }

  /// Saves all pending changes, all or nothing in each store.
  ///
  /// - Throws: ``DataStoreError/notSaved`` if rows that the save depends on cannot be read.
  func save() throws {
    let isWithinSave = isSaving
    isSaving = true
    defer {
      isSaving = isWithinSave
      context.existingAutosave?.saveEnded(context)
    }
    // Merging changes objects, also for a save that fails.
    context.pending.existingIndex = nil
    context.undo?.eventEnded()
    if isReading { throw Self.savedWithinSave }
    if indeterminate != nil { try resolveIndeterminate() }
    let loader = context.loader
    if !loader.unread.entries.isEmpty { loader.unread.forgetUnchanged() }
    if !context.problems.isEmpty { throw context.problems.removeFirst() }
    if !loader.unread.entries.isEmpty { try loader.unread.check() }
    try loader.existingFaults?.check()
    if context.pending.deletesRelated { DeleteRules(in: context).carryOutBeforeSave() }
    if context.hasChanges {
      NotificationCenter.default.post(name: ModelContext.willSave, object: context.handle)
      if context.pending.holdsDeleted { context.processPendingChanges() }
    }
    do {
      try saveChanges()
    } catch {
      try saveFollowing(error)
    }
  }

  /// The error of a save by code that runs while a save reads values.
  private static let savedWithinSave = SwiftDataError.modelValidationFailure.with(
    "a value called save() while a save encoded it; save after the first save has ended"
  )

  /// Throws a problem that was found while the save was prepared.
  ///
  /// A relationship that could not be read counted as empty: delete rules missed its objects.
  private func throwNewProblem() throws {
    context.pending.applyRulesAgain()
    // A store that could not be reached is the reason why nothing was saved.
    if let cause = context.problems[0].cause as? DataStoreError, cause == .io {
      context.problems.removeFirst()
      throw cause
    }
    throw context.problems.removeFirst()
  }

  /// Saves the changes after they are adapted to other saves, if a store refused them for that.
  private func saveFollowing(_ refusal: any Error) throws {
    var (error, done) = (refusal, Adaptation())
    do {
      for _ in 1..<Self.mostAttempts {
        try adapt(to: error, &done)
        do {
          return try saveChanges()
        } catch let next {
          error = next
        }
      }
      try adapt(to: error, &done)
    } catch let error as DataStoreError where error == .io {
      throw DataStoreError(
        .notSaved,
        "the save failed, because rows that it depends on could not be read; save again",
        file: error.file,
        cause: error
      )
    }
    throw Self.overtaken
  }

  /// Saves the changes once, unless a store refuses them.
  private func saveChanges() throws {
    // A store applies its bulk changes first; other changes may look at what they change.
    if !context.bulkChanges.isEmpty, !context.pending.isEmpty {
      try BulkChanges(in: context).carryOut()
      context.processPendingChanges()
    }
    let deleted: PendingObjects.List =
      context.pending.holdsDeleted ? try checkedDeletions() : ([], [])
    guard context.hasChanges || !readers.isEmpty else {
      clearPending()
      return context.feed.applySavesOfOthers()
    }
    let unsaved = context.pending.objects(deleted: deleted)
    if unsaved.haveRelationships { try SaveValidation.check(unsaved, context.pending) }
    let roots = context.core.requiredRoots
    if deleted.runs.contains(where: { roots.contains($0.registration.entity.root) }) {
      try DanglingReferenceCheck.check(deleted.models, in: context)
    }
    let merged = try context.undo.map { _ in try MergedContents(in: context) }
    isReading = true
    defer { endSave() }
    if unsaved.encodesValues { changesDuringSave?.mark(unsaved.changed.models) }
    let saves = try complete(plan(for: unsaved))
    if let undo = context.undo {
      merged?.note(in: undo)
      undo.saved()
    }
    clearPending(except: existingChanges?.pending ?? PendingChanges())
    endSave()
    report(saves)
    context.feed.applyNoticedSaves()
  }

  /// Returns the objects to be deleted, which nothing denies and no other object refers to.
  private func checkedDeletions() throws -> PendingObjects.List {
    let deleted = context.pending.deletedObjects
    let forgotten = context.pending.forgotten
    let isRelated = deleted.runs.contains(where: \.registration.hasRelationships)
    if !isRelated, forgotten.isEmpty { return deleted }
    try SaveValidation.checkDeletions(deleted.runs)
    DeleteRules(in: context).releaseOthers(of: deleted.runs + EntityRun.runs(of: forgotten))
    for model in forgotten {
      context.objects.forget(model)
      model.releaseRelated { _ in true }
    }
    // Objects that were loaded meanwhile may have revealed rows that no longer exist.
    return isRelated ? context.pending.deletedObjects : deleted
  }

  /// Plans the saves of all unsaved changes, one for each store that has any.
  private func plan(for unsaved: PendingObjects) throws -> [Save] {
    var planner = SavePlanner(
      editingState: context.editingState,
      origin: origin,
      requiresNew: requiresNewObjects,
      pending: context.pending,
      objects: unsaved,
      changes: { self.existingChanges }
    )
    for change in context.bulkChanges {
      planner.saves[planner.index(of: change.store)].add(change.effect)
    }
    try planner.addObjects()
    if !readers.isEmpty {
      for store in context.core.stores.all {
        guard let positions = readers[ObjectIdentifier(store)] else { continue }
        planner.saves[planner.index(of: store)].changes.readers = positions
      }
    }
    if mergePolicy.needsVersions || unsaved.haveRelationships {
      for index in planner.saves.indices {
        try planner.saves[index].compareVersions(by: mergePolicy)
      }
    }
    if !context.problems.isEmpty { try throwNewProblem() }
    return planner.saves
  }

  /// Stops noting changes during a save, after which code of the program may save again.
  func endSave() {
    isReading = false
    existingChanges?.unmark()
    existingChanges = nil
  }

  /// Clears the pending changes, except for later ones.
  private func clearPending(except later: PendingChanges = PendingChanges()) {
    context.bulkChanges = []
    readers = [:]
    let touched = later.touchedModels
    for (model, _) in context.pending.touched.all where !touched.contains(ObjectIdentifier(model)) {
      model.forgetMemberChanges()
    }
    context.pending = later
  }
}
