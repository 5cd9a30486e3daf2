import Foundation

/// An error for an invalid command line.
///
/// A program that ends with this error exits with ``ExitCode/usage``.
package struct UsageError: Error, LocalizedError, CustomStringConvertible, Sendable {
  /// One sentence in lower case that names the invalid word.
  package let description: String

  /// Creates an error from one sentence.
  package init(_ description: String) {
    self.description = description
  }

  /// The message for the user.
  package var errorDescription: String? { description }
}
