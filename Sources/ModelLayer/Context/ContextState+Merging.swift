import ModelRuntime
import StoreProtocol

extension ContextState {
  /// The number of attempts of a save that conflicts with other saves.
  static let mostAttempts = 64

  /// Applies a save to its store, and resolves conflicts with other saves by the policy.
  func apply(_ planned: Save) throws -> Save {
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

  /// The error of a save that other saves overtook too often.
  static let overtaken = DataStoreError(
    .conflict,
    "other saves changed the same objects first, \(mostAttempts) times in a row; nothing was saved; "
      + "save again"
  )

  /// Updates the objects of a save that others came before to the stored values.
  func conclude(_ save: Save) {
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
    for model in save.vanished { vanish(model) }
    for model in save.kept { model._$state.flags.remove(.deleted) }
  }

  /// Reads the objects again whose rows other saves had changed.
  func refreshMerged(_ saves: [Save]) {
    let stale = saves.flatMap { $0.refreshed + $0.kept }
    if stale.isEmpty, saves.allSatisfy({ $0.vanished.isEmpty }) { return }
    unloadToMany()
    readAgain(stale.map(\.persistentModelID))
  }

  /// Reads the registered objects of rows again, after a save.
  func readAgain(_ rows: [PersistentIdentifier]) {
    for (_, rows) in Dictionary(grouping: rows, by: \.entityName) {
      guard let registration = rows.first.flatMap(entry)?.registration else { continue }
      // The save is complete in any case. An object that cannot be read keeps its version, so that
      // its next save detects the conflict.
      if (try? fetchRows(Set(rows.map(\.key)), of: registration)) == nil { trustsVersions = false }
    }
  }
}

extension StoreChanges {
  fileprivate func isSame(as other: StoreChanges) -> Bool {
    expectedVersions == other.expectedVersions && deleted == other.deleted
      && updates.flatMap(\.identifiers) == other.updates.flatMap(\.identifiers)
  }
}
