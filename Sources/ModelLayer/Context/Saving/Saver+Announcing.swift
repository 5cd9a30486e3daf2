import Foundation
import ModelRuntime
import StoreProtocol

extension Saver {
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
  private func readAgain(_ rows: [PersistentIdentifier]) {
    for (_, rows) in Dictionary(grouping: rows, by: \.entityName) {
      guard let registration = rows.first.flatMap(context.entry)?.registration else { continue }
      // The save is complete in any case. An object that cannot be read keeps its version, so that
      // its next save detects the conflict.
      if (try? context.loader.fetchRows(Set(rows.map(\.key)), of: registration)) == nil {
        context.loader.trustsVersions = false
      }
    }
  }

  /// Notifies other contexts and observers of what was saved.
  func announce(_ saves: [Save]) {
    var changes: SavedChanges?
    for save in saves {
      guard let observed = save.observed else { continue }
      if changes?.add(observed) == nil { changes = observed }
    }
    let deleted = saves.rows { $0.deletedRows }
    context.feed.append(deleted, changes, from: context.updater?.box)
    context.updater?.contextSaved(changes)
    NotificationCenter.default.post(
      name: ModelContext.didSave,
      object: context.handle,
      userInfo: saves.userInfo
    )
  }
}

extension [Save] {
  /// The contents of a notification of the saves to all stores.
  fileprivate var userInfo: [AnyHashable: Any] {
    typealias Key = ModelContext.NotificationKey
    var tokens: [String: any HistoryToken] = [:]
    for save in self { tokens[save.store.identifier] = save.token }
    return [
      Key.insertedIdentifiers.rawValue: rows { $0.insertedRows },
      Key.updatedIdentifiers.rawValue: rows { $0.updatedRows },
      Key.deletedIdentifiers.rawValue: rows { $0.deletedRows },
      Key.historyTokens.rawValue: tokens,
    ]
  }

  /// Returns a list of all saves; that of a single one is not copied.
  fileprivate func rows(_ list: (Save) -> [PersistentIdentifier]) -> [PersistentIdentifier] {
    count == 1 ? list(self[0]) : flatMap(list)
  }
}
