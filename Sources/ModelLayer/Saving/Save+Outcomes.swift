import ModelRuntime
import StoreProtocol

// A store may not know whether it has a save, and a program may go on before the outcome is known.

extension Save {
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

  /// Notes the rows of all changes, whatever has become of their objects since.
  mutating func noteRows() {
    deletedRows = removed
    updatedRows = result.updated + changes.updated.map(\.identifier)
    for record in changes.inserted {
      let temporary = record.persistentIdentifier
      guard let permanent = result.remapped[temporary] else { continue }
      if result.merged.contains(temporary) {
        updatedRows.append(permanent)
      } else {
        insertedRows.append(permanent)
      }
    }
  }
}
