import ModelRuntime
import StoreProtocol

/// A save whose outcome is unknown.
struct IndeterminateSave {
  /// The changes that were sent to the store, and their objects.
  let merged: MergedBatch
  /// Whether the program has rolled back since.
  var isRolledBack = false

  /// Returns the outcome from the store, or by comparison with the rows if the store does not
  /// record saves.
  ///
  /// - Throws: ``DataStoreError/outcomeUnknown`` while the outcome is unknown.
  func outcome() throws -> SaveOutcome {
    let batch = merged.batch
    do {
      return try batch.store.outcome(ofSave: batch.changes.saveIdentifier)
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
    let changes = merged.batch.changes
    let updated = Set(changes.updates.flatMap(\.identifiers))
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
    guard changes.insertions.isEmpty else { throw Self.unknown }
    return .saved(StoreChangesResult())
  }

  private static let unknown = DataStoreError(
    .outcomeUnknown,
    "the store cannot tell whether the changes were saved; reset the context and fetch"
  )
}
