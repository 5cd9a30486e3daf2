import Foundation
import StoreProtocol

extension ContainerCore {
  /// Takes note that others made some of the saves to a store.
  ///
  /// What they changed is said by the store's history; where it has none, anything may have changed.
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
  /// Posted when somebody else saved to a store of a container that has observers: another process, or
  /// another container of this one.
  ///
  /// It comes on any thread. `userInfo[ModelContainer.storeIdentifierKey]` has the identifier of the
  /// store. Without observers nobody looks for such saves; ``ResultsObserver``, ``HistoryObserver``
  /// and loops over ``snapshots(of:)`` and the like are observers.
  public static let remoteChange = Notification.Name("ModelContainer.remoteChange")

  /// The key of the store's identifier in what ``remoteChange`` carries.
  public static let storeIdentifierKey = "storeIdentifier"

  /// How often stores are asked at the least whether other processes saved, while anybody observes.
  ///
  /// Most saves are noticed sooner, by events of files. Asking a SQLite store costs one statement that
  /// reads no page; stores that cannot tell are not asked.
  public var remoteChangeInterval: Duration {
    get { core.changes.feed.others.interval }
    set { core.changes.feed.others.interval = newValue }
  }
}
