import Foundation

/// The context of a request.
public struct EditingState: Identifiable, Sendable {
  /// The identifier of the context.
  public let id: UUID
  /// The author of the changes, for the history.
  public var author: String?

  /// Creates a state; contexts create their own, and tests and tools may create any.
  package init(id: UUID = UUID(), author: String? = nil) {
    self.id = id
    self.author = author
  }
}
