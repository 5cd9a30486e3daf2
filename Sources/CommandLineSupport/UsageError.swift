import Foundation

/// A command line that asks for nothing the program knows.
///
/// A program that ends with this error leaves ``ExitCode/usage``.
package struct UsageError: Error, LocalizedError, CustomStringConvertible, Sendable {
  /// One sentence in lower case that names the word at fault.
  package let description: String

  /// Makes an error of one sentence.
  package init(_ description: String) {
    self.description = description
  }

  /// The sentence that the user sees.
  package var errorDescription: String? { description }
}
