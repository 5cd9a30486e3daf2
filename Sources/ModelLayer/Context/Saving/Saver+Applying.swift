import ModelRuntime
import StoreProtocol

extension Saver {
  /// The number of attempts of a save that conflicts with other saves.
  static let mostAttempts = 64

  /// The error of a save that other saves overtook too often.
  static let overtaken = DataStoreError(
    .conflict,
    "other saves changed the same objects first, \(mostAttempts) times in a row; nothing was saved; "
      + "save again"
  )

  /// Lets the stores apply planned saves one after the other, and adopts their results.
  func complete(_ planned: [Save], _ changes: ChangesDuringSave) throws -> [Save] {
    var saves: [Save] = []
    do {
      for plan in planned {
        var save = try stored(plan)
        if let edited = changesDuringSave?.edited, !edited.isEmpty {
          let keys = KeyOrder(inserting: context.pending.inserted)
          save.edits = EditsDuringSave(since: plan, keys: keys, among: edited)
        }
        saves.append(save)
        try adopt(&saves[saves.count - 1])
        if save.comparesVersions { conclude(save) }
      }
    } catch {
      endSave(changes)
      // The saves of earlier stores are not taken back.
      if saves.first?.state == .adopted { report(saves) }
      throw error
    }
    return saves
  }

  /// Returns a planned save that its store has, and resolves conflicts with other saves by the policy.
  private func stored(_ planned: Save) throws -> Save {
    var save = planned
    for _ in 0..<Self.mostAttempts {
      do {
        try send(&save)
        return save
      } catch let error as DataStoreError where save.state == .conflicted {
        let asked = save.changes
        save = try planned.resolved(by: mergePolicy, after: error)
        // If no other save came in between, the store's error has another reason.
        if asked.isSame(as: save.changes) { throw error }
      }
    }
    throw Self.overtaken
  }

  /// Sends a save to its store, and resolves the outcome if the store does not know it.
  ///
  /// - Throws: ``DataStoreError/outcomeUnknown`` if the outcome is still unknown.
  private func send(_ save: inout Save) throws {
    try context.core.saves.during(save.store) {
      do {
        try save.apply { RelatedObjects(context.relatedObjects(inserted: $0)) }
      } catch let error as DataStoreError where save.state == .indeterminate {
        try settle(&save, after: error)
      }
      context.feed.note(save.result, of: save.store)
    }
  }

  /// Applies the store's result to the objects of a save, and to their observers.
  ///
  /// - Throws: ``DataStoreError/outcomeUnknown`` if the store returned no identifier for a new
  ///   object.
  func adopt(_ save: inout Save, isLate: Bool = false) throws {
    if context.core.saves.isObserved {
      let current = context.feed.currentProperties()
      let schema = context.core.schema.storeSchema
      let store = save.store.identifier
      var observed = SavedChanges(
        save.changes,
        save.result,
        store: store,
        schema: schema,
        required: context.core.saves.requiredProperties
      ) { values(of: current, in: $0) }
      if !save.unseen.isEmpty { observed.noteUnseen() }
      save.observed = observed
    }
    if !context.bulkChanges.isEmpty { context.bulkChanges.removeAll { $0.store === save.store } }
    try save.adopt(in: context.objects, isLate: isLate)
    if !save.mergedRows.isEmpty { followMerges(of: save) }
  }

  /// Returns the values of properties that an object has as its row, as far as the object has read
  /// them.
  private func values(
    of required: Set<RequiredValues.PropertyKey>,
    in row: PersistentIdentifier
  ) -> [StoreUpdate.Change] {
    guard let registration = context.entry(of: row)?.registration,
      let model = registration.identityMap.model(for: row.key),
      model.registration === registration, !model._$state.flags.contains(.partial)
    else { return [] }
    return required.compactMap { key in
      guard key.root == registration.entity.root,
        let index = registration.entity.indexByName[key.property],
        model._$state.dirty & _ModelState.bit(index) == 0,
        case .value(let value) = context.reader.content(of: index, in: model)
      else { return nil }
      return StoreUpdate.Change(index, value)
    }
  }

  /// Updates objects in memory to the rows that new ones were merged into.
  ///
  /// The save is complete in any case; the next one reports rows that could not be read.
  private func followMerges(of save: Save) {
    for (model, _) in save.left { context.updater?.noteMembershipChange(of: model) }
    do {
      try save.followMerges(context.registration(named:)) {
        try context.loader.fetchRows($0, of: $1)
      }
    } catch {
      context.problems.append(
        .modelValidationFailure.with(
          "the previous save merged new objects into stored ones, which could not be read "
            + "afterward; refresh them",
          entity: save.inserted.first?.registration?.entity.name,
          cause: error
        )
      )
    }
  }

  /// Updates the objects of a save that others came before to the stored values.
  private func conclude(_ save: Save) {
    adoptVersions(of: save)
    for model in save.refreshed + save.kept {
      model._$state.endChanges()
      model.forgetMemberChanges()
    }
  }

  /// Updates the versions of objects that were compared, and those that no longer are what they were.
  func adoptVersions(of save: Save) {
    let compared = save.changes.expectedVersions
    if !compared.isEmpty {
      let outdated = Set(save.refreshed.map(ObjectIdentifier.init))
      for model in save.changed
      where compared[model.persistentModelID] != nil
        && !outdated.contains(ObjectIdentifier(model))
      {
        model._$state.version = save.result.version
      }
    }
    for model in save.vanished { context.vanish(model) }
    for model in save.kept { model._$state.flags.remove(.deleted) }
  }
}

extension StoreChanges {
  fileprivate func isSame(as other: StoreChanges) -> Bool {
    expectedVersions == other.expectedVersions && deleted == other.deleted
      && updates.flatMap(\.identifiers) == other.updates.flatMap(\.identifiers)
  }
}
