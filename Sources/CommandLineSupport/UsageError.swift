import Foundation

/// A command line that asks for nothing the program knows.
///
/// A program that ends with this error leaves ``ExitCode/usage``.
public struct UsageError: Error, LocalizedError, CustomStringConvertible, Sendable {
  /// One sentence in lower case that names the word at fault.
  public let description: String

  /// Makes an error of one sentence.
  public init(_ description: String) {
    self.description = description
  }

  /// The sentence that the user sees.
  public var errorDescription: String? { description }
}
