import Foundation

/// The two streams that a command answers on, and what is known about them.
package struct Console: Sendable {
  /// The stream for answers.
  package let output: OutputWriter
  /// The stream for errors and progress.
  package let errors: OutputWriter
  /// Whether a person sees the answers.
  package let isOutputTerminal: Bool
  /// Whether a person sees errors and progress.
  package let isErrorTerminal: Bool
  /// The columns that an answer may use.
  package let width: Int

  /// Makes a console of two streams.
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

  /// Makes the console of this process.
  package static func standard() -> Console {
    Console(
      output: OutputWriter(descriptor: STDOUT_FILENO),
      errors: OutputWriter(descriptor: STDERR_FILENO, capacity: 0),
      isOutputTerminal: Terminal.isTerminal(STDOUT_FILENO),
      isErrorTerminal: Terminal.isTerminal(STDERR_FILENO),
      width: Terminal.width(of: STDOUT_FILENO)
    )
  }

  /// Makes a console that keeps everything in memory, for tests.
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

  /// Writes a text to the answers.
  ///
  /// A terminal gets no control character but line breaks, whatever the text holds; a pipe or a file
  /// gets the text as it is.
  package func write(_ text: String) {
    output.write(isOutputTerminal ? text.visibleLines : text)
  }

  /// Writes a line to the answers.
  package func print(_ line: String = "") {
    write(line + "\n")
  }

  /// Writes a line to the errors, with no control character but line breaks.
  package func printError(_ line: String) {
    errors.write(line.visibleLines + "\n")
  }
}
