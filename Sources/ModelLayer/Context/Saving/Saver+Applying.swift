import Foundation
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
  func complete(_ planned: [Save]) throws -> [Save] {
    var saves: [Save] = []
    do {
      for plan in planned {
        var save = plan
        do {
          try send(&save)
        } catch let error as DataStoreError where save.state == .conflicted {
          save = try resolved(plan, after: error, of: save)
        }
        if let edited = existingChanges?.edited, !edited.isEmpty {
          let keys = KeyOrder(inserting: context.pending.inserted)
          save.edits = EditsDuringSave(since: plan, keys: keys, among: edited)
        }
        saves.append(save)
        try adopt(&saves[saves.count - 1])
        if save.comparesVersions { conclude(save) }
      }
    } catch {
      endSave()
      // The saves of earlier stores are not taken back.
      if saves.first?.state == .adopted { report(saves) }
      throw error
    }
    return saves
  }

  /// Resolves the conflicts of a planned save with other saves by the policy, and returns it when its
  /// store has it.
  private func resolved(
    _ planned: Save,
    after conflict: DataStoreError,
    of refused: Save
  ) throws -> Save {
    var (error, asked) = (conflict, refused.changes)
    for _ in 1..<Self.mostAttempts {
      var save = try planned.resolved(by: mergePolicy, after: error)
      // If no other save came in between, the store's error has another reason.
      if asked.isSame(as: save.changes) { throw error }
      asked = save.changes
      do {
        try send(&save)
        return save
      } catch let next as DataStoreError where save.state == .conflicted {
        error = next
      }
    }
    throw Self.overtaken
  }

  /// Sends a save to its store, and resolves the outcome if the store does not know it.
  ///
  /// - Throws: ``DataStoreError/outcomeUnknown`` if the outcome is still unknown.
  private func send(_ save: inout Save) throws {
    let saves = context.core.saves
    context.feed.position = try saves.note(save.store) {
      do {
        try save.apply { RelatedObjects(context.relatedObjects(inserted: $0)) }
      } catch let error as DataStoreError where save.state == .indeterminate {
        try settle(&save, after: error)
      }
      save.isObserved = saves.isObserved
      // The changes of an observed save are added later; of another, any values may have changed.
      let entry = SaveFeed.Entry(deleted: save.removed, changed: save.isObserved ? [] : nil)
      return (save.result.version, entry, context.feed.position)
    }
  }

  /// Applies the store's result to the objects of a save, and to their observers.
  ///
  /// - Throws: ``DataStoreError/outcomeUnknown`` if the store returned no identifier for a new
  ///   object.
  func adopt(_ save: inout Save, isLate: Bool = false) throws {
    if save.isObserved {
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

  /// Updates what the context has to what stores have saved, and announces it.
  func report(_ saves: [Save]) {
    for save in saves {
      if let edits = save.edits { mark(edits, save.namedResult) }
    }
    if saves.contains(where: { !$0.deletedRows.isEmpty }) {
      for model in context.objects.observedModels { model.dropGoneNotifying() }
    }
    if saves.contains(where: \.comparesVersions) { refreshMerged(saves) }
    let changed = saves.flatMap(\.result.changedByStore)
    if !changed.isEmpty { readAgain(changed) }
    // Relationships may have changed with rows that new objects were merged into.
    if context.feed.hasOutdatedLists || !changed.isEmpty
      || saves.contains(where: { !$0.result.merged.isEmpty })
    {
      context.feed.unloadToMany()
    }
    announce(saves)
  }

  /// Notifies other contexts and observers of what was saved.
  func announce(_ saves: [Save]) {
    var changes: SavedChanges?
    for save in saves {
      guard let observed = save.observed else { continue }
      if changes?.add(observed) == nil { changes = observed }
    }
    // Otherwise the feed has all that other contexts need since the save was stored.
    if changes != nil || context.core.saves.isObserved {
      context.feed.append(changes, from: context.updater?.box)
    }
    context.updater?.contextSaved(changes)
    NotificationCenter.default.post(
      name: ModelContext.didSave,
      object: context.handle,
      userInfo: saves.userInfo
    )
  }
}

extension ModelContext.NotificationKey {
  /// The keys of a notification of a save, whose dictionary need not hash them once more.
  // Unsafe: the keys are constant strings; only `AnyHashable` is not Sendable.
  nonisolated(unsafe) fileprivate static let ofSave: [AnyHashable: Self] = [
    insertedIdentifiers.rawValue: .insertedIdentifiers,
    updatedIdentifiers.rawValue: .updatedIdentifiers,
    deletedIdentifiers.rawValue: .deletedIdentifiers,
    historyTokens.rawValue: .historyTokens,
  ]
}

extension [Save] {
  /// The contents of a notification of the saves to all stores.
  fileprivate var userInfo: [AnyHashable: Any] {
    var tokens: [String: any HistoryToken] = [:]
    for save in self { tokens[save.store.identifier] = save.token }
    return ModelContext.NotificationKey.ofSave.mapValues { key -> Any in
      switch key {
      case .insertedIdentifiers: rows { $0.insertedRows }
      case .updatedIdentifiers: rows { $0.updatedRows }
      case .deletedIdentifiers: rows { $0.deletedRows }
      default: tokens
      }
    }
  }

  /// Returns a list of all saves; that of a single one is not copied.
  fileprivate func rows(_ list: (Save) -> [PersistentIdentifier]) -> [PersistentIdentifier] {
    count == 1 ? list(self[0]) : flatMap(list)
  }
}

extension StoreChanges {
  fileprivate func isSame(as other: StoreChanges) -> Bool {
    expectedVersions == other.expectedVersions && deleted == other.deleted
      && updates.flatMap(\.identifiers) == other.updates.flatMap(\.identifiers)
  }
}
