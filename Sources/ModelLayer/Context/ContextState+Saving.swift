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
    let saves = try apply(plan(for: unsaved, changes), changes)
    if let undo {
      merged?.note(in: undo)
      undo.saved()
    }
    clearPending(except: changes.pending)
    endSave(changes)
    report(saves)
    applySavesOfOthers()
  }

  /// Plans the saves of all unsaved changes, one for each store that has any.
  private func plan(
    for unsaved: PendingObjects,
    _ changes: ChangesDuringSave
  ) throws -> [Save] {
    let head = Save.Head(
      editingState: editingState,
      origin: origin,
      requiresNew: requiresNewObjects
    )
    var saves: [Save] = []
    for change in bulkChanges { saves[saves.index(of: change.store, head)].add(change.effect) }
    try saves.add(unsaved, pending, during: changes, head)
    if !readers.isEmpty {
      for store in core.stores.all {
        guard let positions = readers[ObjectIdentifier(store)] else { continue }
        saves[saves.index(of: store, head)].changes.readers = positions
      }
    }
    for index in saves.indices { try saves[index].compareVersions(by: mergePolicy) }
    if !problems.isEmpty { try throwNewProblem() }
    return saves
  }

  private func apply(_ planned: [Save], _ changes: ChangesDuringSave) throws -> [Save] {
    var saves: [Save] = []
    do {
      for save in planned {
        saves.append(try apply(save))
        try finish(save, &saves[saves.count - 1])
      }
    } catch {
      endSave(changes)
      // The saves of earlier stores are not taken back.
      if saves.first?.state == .adopted { report(saves) }
      throw error
    }
    return saves
  }

  /// Stops noting changes during a save, after which code of the program may save again.
  private func endSave(_ changes: ChangesDuringSave) {
    guard changesDuringSave === changes else { return }
    changesDuringSave = nil
    changes.end()
  }

  /// Applies the result of a save to its objects.
  private func finish(_ planned: Save, _ save: inout Save) throws {
    if let edited = changesDuringSave?.edited, !edited.isEmpty {
      let keys = KeyOrder(inserting: pending.inserted)
      save.edits = EditsDuringSave(since: planned, keys: keys, among: edited)
    }
    try finish(&save)
    conclude(save)
    for model in save.refreshed + save.kept {
      model._$state.endChanges()
      model.forgetMemberChanges()
    }
  }

  /// Updates what the context has to what stores have saved, and announces it.
  private func report(_ saves: [Save]) {
    for save in saves {
      if let edits = save.edits { mark(edits, save.namedResult) }
    }
    if saves.contains(where: { !$0.deletedRows.isEmpty }) {
      for model in objects.observedModels { model.dropGoneNotifying() }
    }
    refreshMerged(saves)
    let changed = saves.flatMap(\.result.changedByStore)
    if !changed.isEmpty { readAgain(changed) }
    // Relationships may have changed with rows that new objects were merged into.
    if hasOutdatedLists || !changed.isEmpty
      || saves.contains(where: { !$0.result.merged.isEmpty })
    {
      unloadToMany()
    }
    announce(saves)
  }

  /// Marks the objects that changed since their save began as changed.
  func mark(_ edits: EditsDuringSave, _ result: StoreChangesResult) {
    pending.mayRepeat = true
    for model in edits.mark(result, where: isMember) { note(.changed, of: model) }
  }

  /// Notifies other contexts and observers of what was saved.
  func announce(_ saves: [Save]) {
    let changes = saves.compactMap(\.observed).reduce(into: nil as SavedChanges?) { all, changes in
      if all?.add(changes) == nil { all = changes }
    }
    feedPosition =
      core.saves.append(
        deleted: saves.rows(\.deletedRows),
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
      userInfo: saves.userInfo
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

  /// Applies the store's result to the objects of a save, and to their observers.
  ///
  /// - Throws: ``DataStoreError/outcomeUnknown`` if the store returned no identifier for a new
  ///   object.
  func finish(_ save: inout Save, isLate: Bool = false) throws {
    if core.saves.isObserved {
      let required = currentProperties()
      var observed = SavedChanges(
        save.changes,
        save.namedResult,
        schema: core.schema.storeSchema
      ) { values(of: required, in: $0) }
      if !save.unseen.isEmpty { observed.noteUnseen() }
      save.observed = observed
    }
    bulkChanges.removeAll { $0.store === save.store }
    try save.adopt(in: objects, isLate: isLate)
    if !save.mergedRows.isEmpty { followMerges(of: save) }
  }

  /// Updates objects in memory to the rows that new ones were merged into.
  ///
  /// The save is complete in any case; the next one reports rows that could not be read.
  private func followMerges(of save: Save) {
    for (model, _) in save.left { updater?.noteMembershipChange(of: model) }
    do {
      try save.followMerges(registration(named:)) { try fetchRows($0, of: $1) }
    } catch {
      problems.append(
        .modelValidationFailure.with(
          "the previous save merged new objects into stored ones, which could not be read "
            + "afterward; refresh them",
          entity: save.inserted.first?.registration?.entity.name,
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
