import Foundation

/// The two output streams of a command, and their properties.
package struct Console: Sendable {
  /// The stream for output.
  package let output: OutputWriter
  /// The stream for errors and progress.
  package let errors: OutputWriter
  /// Whether the output goes to a terminal.
  package let isOutputTerminal: Bool
  /// Whether errors and progress go to a terminal.
  package let isErrorTerminal: Bool
  /// The number of columns for output.
  package let width: Int

  /// Creates a console with two streams.
  package init(
    output: OutputWriter,
    errors: OutputWriter,
    isOutputTerminal: Bool = false,
    isErrorTerminal: Bool = false,
    width: Int = Terminal.defaultWidth
  ) {
    self.output = output
    self.errors = errors
    self.isOutputTerminal = isOutputTerminal
    self.isErrorTerminal = isErrorTerminal
    self.width = width
  }

  /// Creates the console of this process.
  package static func standard() -> Console {
    Console(
      output: OutputWriter(descriptor: STDOUT_FILENO),
      errors: OutputWriter(descriptor: STDERR_FILENO, capacity: 0),
      isOutputTerminal: Terminal.isTerminal(STDOUT_FILENO),
      isErrorTerminal: Terminal.isTerminal(STDERR_FILENO),
      width: Terminal.width(of: STDOUT_FILENO)
    )
  }

  /// Creates a console that keeps everything in memory, for tests.
  package static func recording(
    isOutputTerminal: Bool = false,
    isErrorTerminal: Bool = false,
    width: Int = Terminal.defaultWidth
  ) -> Console {
    Console(
      output: OutputWriter(descriptor: nil),
      errors: OutputWriter(descriptor: nil),
      isOutputTerminal: isOutputTerminal,
      isErrorTerminal: isErrorTerminal,
      width: width
    )
  }

  /// Writes a string to the output.
  ///
  /// On a terminal, control characters other than line breaks are escaped; a pipe or a file gets
  /// the string unchanged.
  package func write(_ text: String) {
    output.write(isOutputTerminal ? text.visibleLines : text)
  }

  /// Writes a line to the output.
  package func print(_ line: String = "") {
    write(line + "\n")
  }

  /// Writes a line to the errors, with control characters other than line breaks escaped.
  package func printError(_ line: String) {
    errors.write(line.visibleLines + "\n")
  }
}
