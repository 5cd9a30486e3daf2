import ModelRuntime
import StoreProtocol

extension Save {
  /// Applies the changes to the store, all or nothing.
  ///
  /// - Parameter related: Returns a search among some new objects and the stored ones, for the
  ///   snapshots of other types.
  /// - Throws: The errors of the store; it is then conflicted, indeterminate, or still planned.
  mutating func apply(_ related: ([any PersistentModel]) -> RelatedObjects) throws {
    do {
      if let adapter = store as? any AdaptedStore {
        result = try adapter.apply(changes, related(inserted))
      } else {
        // The store's own files keep the kinds of values, whichever store is being called.
        result = try TypedSnapshotCoding.$current.withValue(nil) { try store.apply(changes) }
      }
      state = .stored
    } catch let error as DataStoreError where error.code == .conflict {
      state = .conflicted
      throw error
    } catch let error as DataStoreError where error.code == .outcomeUnknown {
      // The objects may change before the outcome is known.
      changes = changes.recorded
      state = .indeterminate
      throw error
    }
  }

  /// Asks the store for the outcome, and returns whether the changes are stored.
  ///
  /// - Throws: ``DataStoreError/outcomeUnknown`` while the outcome is unknown.
  mutating func settle() throws -> Bool {
    switch try outcome() {
    case .saved(let result):
      self.result = result
      state = .stored
      return true
    case .notSaved:
      state = .planned
      return false
    }
  }

  /// Returns the outcome from the store, or by comparison with the rows if the store does not
  /// record saves.
  private func outcome() throws -> SaveOutcome {
    do {
      return try store.outcome(ofSave: changes.saveIdentifier)
    } catch DataStoreError.unsupportedFeature {
      return try comparedOutcome()
    }
  }

  /// Returns the outcome as shown by the rows that the save was to change or remove.
  ///
  /// A save is all or nothing: one row that differs from the save's values shows that nothing was
  /// saved. If no row differs, the outcome counts as saved, whether or not this save did it. With
  /// new rows it stays unknown, since their identifiers are unknown.
  private func comparedOutcome() throws -> SaveOutcome {
    let models = models
    guard changes.bulkChanges.isEmpty, !models.isEmpty,
      models.allSatisfy({ $0.registration != nil })
    else { throw Self.unknown }
    let rows = try StoredRows(of: models)
    for identifier in changes.deleted where rows[identifier] != nil { return .notSaved }
    for update in changes.updated {
      guard let row = rows[update.identifier] else { throw Self.unknown }
      for change in update.changes {
        guard let stored = row.values[change.index] else { continue }
        if !stored.isSame(as: change.value) { return .notSaved }
      }
    }
    guard changes.insertions.isEmpty else { throw Self.unknown }
    return .saved(StoreChangesResult())
  }

  private static let unknown = DataStoreError(
    .outcomeUnknown,
    "the store cannot tell whether the changes were saved; reset the context and fetch"
  )

  /// The objects whose rows the save changes or removes.
  var models: [any PersistentModel] {
    let updated = Set(changes.updates.flatMap(\.identifiers))
    return changed.filter { updated.contains($0.persistentModelID) } + deleted
  }

  /// The result of the store with the identifier of each new row.
  var namedResult: StoreChangesResult {
    var result = result
    for (run, firstKey) in zip(changes.insertions, result.firstKeys) {
      let scope = PersistentIdentifier.Scope(
        storeIdentifier: store.identifier,
        entityName: run.entityName
      )
      var key = firstKey
      for identifier in run.identifiers where result.remapped[identifier] == nil {
        result.remapped[identifier] = PersistentIdentifier(scope: scope, key: .integer(key))
        key += 1
      }
    }
    result.firstKeys = []
    return result
  }
}
