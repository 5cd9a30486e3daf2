import Foundation

/// A valid request that failed.
///
/// A program that ends with this error exits with ``ExitCode/failure``.
package struct CommandFailure: Error, LocalizedError, CustomStringConvertible, Sendable {
  /// One sentence in lower case that says what failed and what to do.
  package let description: String

  /// Creates an error from one sentence.
  package init(_ description: String) {
    self.description = description
  }

  /// The message for the user.
  package var errorDescription: String? { description }
}
