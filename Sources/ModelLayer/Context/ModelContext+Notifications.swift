import Foundation

extension ModelContext {
  /// Posted before a save, without further information.
  public static let willSave = Notification.Name("ModelContext.willSave")
  /// Posted after a save; see ``NotificationKey`` for what it carries.
  public static let didSave = Notification.Name("ModelContext.didSave")

  /// The keys of what ``didSave`` carries: by raw value, arrays of `PersistentIdentifier` but for
  /// ``historyTokens``.
  public enum NotificationKey: String, Sendable {
    /// The state of the store, not posted yet.
    case queryGeneration
    /// Whether all identifiers are invalid.
    case invalidatedAllIdentifiers
    /// The objects that were inserted.
    case insertedIdentifiers
    /// The objects that were changed.
    case updatedIdentifiers
    /// The objects that were removed.
    case deletedIdentifiers
    /// The positions of the save in the histories of the stores that it changed, by their identifiers:
    /// a `[String: any HistoryToken]`, as ``HistoryObserver`` takes it. Stores without history are
    /// left out.
    case historyTokens
  }
  /// Posted when a save that nobody asked for failed; `userInfo["error"]` has the error.
  public static let autosaveFailed = Notification.Name("ModelContext.autosaveFailed")
}
