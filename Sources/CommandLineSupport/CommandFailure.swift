import Foundation

/// A request that was understood and could not be fulfilled.
///
/// A program that ends with this error leaves ``ExitCode/failure``.
public struct CommandFailure: Error, LocalizedError, CustomStringConvertible, Sendable {
  /// One sentence in lower case that says what failed and what to do.
  public let description: String

  /// Makes an error of one sentence.
  public init(_ description: String) {
    self.description = description
  }

  /// The sentence that the user sees.
  public var errorDescription: String? { description }
}
