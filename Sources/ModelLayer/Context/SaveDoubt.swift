import StoreProtocol

/// A save of which nobody can tell yet what became of it.
struct SaveDoubt {
  /// What the store was asked, and for which objects.
  let merged: MergedBatch
  /// Whether the program has taken back unsaved changes since.
  var isRolledBack = false

  /// Asks the store, or compares what it holds where it keeps no account of saves.
  ///
  /// - Throws: ``DataStoreError/outcomeUnknown`` as long as nobody can tell.
  func outcome() throws -> SaveOutcome {
    let batch = merged.batch
    do {
      return try batch.backend.outcome(ofSave: batch.changes.saveIdentifier)
    } catch DataStoreError.unsupportedFeature {
      return try comparedOutcome()
    }
  }

  /// What the rows tell of a save that was to change or remove them.
  ///
  /// A row that is not as the save wants it says that nothing was saved, since a save is all or
  /// nothing. Where all rows are so, the save has come to what was wanted, whether or not it did so;
  /// but not where there are new rows, whose identifiers nobody knows.
  private func comparedOutcome() throws -> SaveOutcome {
    let changes = merged.batch.changes
    let updated = Set(changes.updated.map(\.identifier))
    let models =
      merged.batch.changed.filter { updated.contains($0.persistentModelID) } + merged.batch.deleted
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
    guard changes.inserted.isEmpty else { throw Self.unknown }
    return .saved(StoreChangesResult())
  }

  private static let unknown = DataStoreError(
    .outcomeUnknown,
    "the store cannot tell whether the changes were saved; reset the context and fetch"
  )
}
