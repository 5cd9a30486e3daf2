import Foundation

/// An error for an unreadable text file, or for an invalid position in it.
package struct TextFileError: Error, LocalizedError, CustomStringConvertible, Sendable, Equatable {
  /// A position in a file, counted from 1.
  package struct Position: Sendable, Equatable {
    /// The line of the file, not of the record: a quoted field may span several.
    package let line: Int
    /// The column of the character within the line.
    package let column: Int

    /// Creates a position from a line and a column.
    package init(line: Int, column: Int) {
      self.line = line
      self.column = column
    }
  }

  /// The file as the user named it.
  package let file: String
  /// The position, or `nil` if the error concerns the whole file.
  package let position: Position?
  /// The problem at the position, in lower case.
  package let message: String

  /// Creates an error for a position in a file.
  package init(file: String, position: Position?, message: String) {
    self.file = file
    self.position = position
    self.message = message
  }

  /// The file, line, column and reason in the form that compilers and editors use.
  package var description: String {
    guard let position else { return "\(file): \(message)" }
    return "\(file):\(position.line):\(position.column): \(message)"
  }

  /// The message for the user.
  package var errorDescription: String? { description }
}
