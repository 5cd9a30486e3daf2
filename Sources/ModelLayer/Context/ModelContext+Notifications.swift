import Foundation

extension ModelContext {
  /// Posted before a save, without further information.
  public static let willSave = Notification.Name("ModelContext.willSave")
  /// Posted after a save; see ``NotificationKey`` for its user info.
  public static let didSave = Notification.Name("ModelContext.didSave")

  /// The keys of the user info of ``didSave``.
  ///
  /// By raw value, the values are arrays of `PersistentIdentifier`, except for ``historyTokens``.
  public enum NotificationKey: String, Sendable {
    /// The state of the store; not posted yet.
    case queryGeneration
    /// Whether all identifiers are invalid.
    case invalidatedAllIdentifiers
    /// The objects that were inserted.
    case insertedIdentifiers
    /// The objects that were changed.
    case updatedIdentifiers
    /// The objects that were removed.
    case deletedIdentifiers
    /// The positions of the save in the histories of the stores that it changed, by store
    /// identifier.
    ///
    /// The value is a `[String: any HistoryToken]`, as ``HistoryObserver`` takes it. Stores without
    /// history are left out.
    case historyTokens
  }
  /// Posted when an autosave failed; `userInfo["error"]` has the error.
  public static let autosaveFailed = Notification.Name("ModelContext.autosaveFailed")
}
