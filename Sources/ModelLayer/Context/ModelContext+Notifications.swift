import Foundation

extension ModelContext {
  /// Posted before a save, without further information.
  public static let willSave = Notification.Name("ModelContext.willSave")
  /// Posted after a save; see ``NotificationKey`` for what it carries.
  public static let didSave = Notification.Name("ModelContext.didSave")

  /// The keys of what ``didSave`` carries: arrays of `PersistentIdentifier` by raw value.
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
  }
  /// Posted when a save that nobody asked for failed; `userInfo["error"]` has the error.
  public static let autosaveFailed = Notification.Name("ModelContext.autosaveFailed")
}
