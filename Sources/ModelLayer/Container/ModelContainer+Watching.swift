import Foundation

extension ModelContainer {
  /// Posted when another process, or another container of this one, saved to a store of an observed
  /// container.
  ///
  /// It is posted on any thread. `userInfo[ModelContainer.storeIdentifierKey]` has the identifier
  /// of the store. Without observers such saves are not reported, though fetches notice them;
  /// ``ResultsObserver``, ``HistoryObserver`` and loops over ``snapshots(of:)`` and the like are
  /// observers.
  public static let remoteChange = Notification.Name("ModelContainer.remoteChange")

  /// The key of the store's identifier in the user info of ``remoteChange``.
  public static let storeIdentifierKey = "storeIdentifier"

  /// The longest interval at which stores are checked for saves by other processes, while there are
  /// observers.
  ///
  /// Most saves are detected sooner, by file events. Checking a SQLite store costs one statement
  /// that reads no page; stores that cannot detect saves are not checked.
  public var remoteChangeInterval: Duration {
    get { core.saves.interval }
    set { core.saves.interval = newValue }
  }
}
