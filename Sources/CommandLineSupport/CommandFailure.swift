import Foundation

/// A request that was understood and could not be fulfilled.
///
/// A program that ends with this error leaves ``ExitCode/failure``.
package struct CommandFailure: Error, LocalizedError, CustomStringConvertible, Sendable {
  /// One sentence in lower case that says what failed and what to do.
  package let description: String

  /// Makes an error of one sentence.
  package init(_ description: String) {
    self.description = description
  }

  /// The sentence that the user sees.
  package var errorDescription: String? { description }
}
