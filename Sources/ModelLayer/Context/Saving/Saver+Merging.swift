import ModelRuntime
import StoreProtocol

// Conflicts of a save with other saves, and merges of its new objects into stored ones.

extension Saver {
  /// Marks the objects that changed since their save began as changed.
  func mark(_ edits: EditsDuringSave, _ result: StoreChangesResult) {
    context.pending.mayRepeat = true
    for model in edits.mark(result, where: context.isMember) { context.note(.changed, of: model) }
  }

  /// Reads the objects again whose rows other saves had changed.
  func refreshMerged(_ saves: [Save]) {
    let stale = saves.flatMap { $0.refreshed + $0.kept }
    if stale.isEmpty, saves.allSatisfy({ $0.vanished.isEmpty }) { return }
    context.feed.unloadToMany()
    readAgain(stale.map(\.persistentModelID))
  }

  /// Reads the registered objects of rows again, after a save.
  func readAgain(_ rows: [PersistentIdentifier]) {
    for (_, rows) in Dictionary(grouping: rows, by: \.entityName) {
      guard let registration = rows.first.flatMap(context.entry)?.registration else { continue }
      // The save is complete in any case. An object that cannot be read keeps its version, so that
      // its next save detects the conflict.
      if (try? context.loader.fetchRows(Set(rows.map(\.key)), of: registration)) == nil {
        context.loader.trustsVersions = false
      }
    }
  }

  /// Updates objects in memory to the rows that new ones were merged into.
  ///
  /// The save is complete in any case; the next one reports rows that could not be read.
  func followMerges(of save: Save) {
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
  func conclude(_ save: Save) {
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
