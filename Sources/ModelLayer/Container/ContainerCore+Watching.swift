import Foundation
import StoreProtocol

extension ContainerCore {
  /// Handles saves of others to a store.
  ///
  /// The store's history has their changes; without one, anything may have changed.
  func noteSaves(_ saves: ClosedRange<Int64>?, to store: any StoreBackend) {
    var changed = saves.flatMap { SavedChanges($0, of: store) } ?? SavedChanges()
    if changed.isEmpty {
      for entity in store.schema.storeSchema.entities where entity.superentity == nil {
        changed.noteOthers(of: entity.name)
      }
    }
    changes.post(deleted: changed.byRoot.values.flatMap(\.deleted), changes: changed)
    NotificationCenter.default.post(
      name: ModelContainer.remoteChange,
      object: nil,
      userInfo: [ModelContainer.storeIdentifierKey: store.identifier]
    )
  }
}

extension ModelContainer {
  /// Posted when another process, or another container of this one, saved to a store of an observed
  /// container.
  ///
  /// It is posted on any thread. `userInfo[ModelContainer.storeIdentifierKey]` has the identifier
  /// of the store. Without observers such saves are not detected; ``ResultsObserver``,
  /// ``HistoryObserver`` and loops over ``snapshots(of:)`` and the like are observers.
  public static let remoteChange = Notification.Name("ModelContainer.remoteChange")

  /// The key of the store's identifier in the user info of ``remoteChange``.
  public static let storeIdentifierKey = "storeIdentifier"

  /// The longest interval at which stores are checked for saves by other processes, while there are
  /// observers.
  ///
  /// Most saves are detected sooner, by file events. Checking a SQLite store costs one statement
  /// that reads no page; stores that cannot detect saves are not checked.
  public var remoteChangeInterval: Duration {
    get { core.changes.feed.others.interval }
    set { core.changes.feed.others.interval = newValue }
  }
}
