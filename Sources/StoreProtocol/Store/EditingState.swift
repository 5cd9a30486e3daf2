import Foundation

/// The context behind a request.
public struct EditingState: Identifiable, Sendable {
  /// The type of identities.
  public typealias ID = UUID
  /// The identity of the context.
  public let id: UUID
  /// Who changes, as history will say.
  public var author: String?

  /// Creates a state; contexts make their own, tests and tools may make any.
  public init(id: UUID = UUID(), author: String? = nil) {
    self.id = id
    self.author = author
  }
}
