import Foundation

/// A file of comma-separated values that cannot be read, or a place in it that makes no sense.
package struct CSVError: Error, LocalizedError, CustomStringConvertible, Sendable, Equatable {
  /// A place in a file, counted from 1.
  package struct Position: Sendable, Equatable {
    /// The line of the file, not of the record: a quoted field may span several.
    package let line: Int
    /// The letter within the line.
    package let column: Int

    /// Makes a place of a line and a column.
    package init(line: Int, column: Int) {
      self.line = line
      self.column = column
    }
  }

  /// The file as the user named it.
  package let file: String
  /// The place, absent when the file as a whole is at fault.
  package let position: Position?
  /// What is wrong there, in lower case.
  package let message: String

  /// Makes an error for a place in a file.
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

  /// The sentence that the user sees.
  package var errorDescription: String? { description }
}
