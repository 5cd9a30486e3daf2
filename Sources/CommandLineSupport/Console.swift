import Foundation

/// The two streams that a command answers on, and what is known about them.
public struct Console: Sendable {
  /// The stream for answers.
  public let output: OutputWriter
  /// The stream for errors and progress.
  public let errors: OutputWriter
  /// Whether a person sees the answers.
  public let isOutputTerminal: Bool
  /// Whether a person sees errors and progress.
  public let isErrorTerminal: Bool
  /// The columns that an answer may use.
  public let width: Int

  /// Makes a console of two streams.
  public init(
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
  public static func standard() -> Console {
    Console(
      output: OutputWriter(descriptor: STDOUT_FILENO),
      errors: OutputWriter(descriptor: STDERR_FILENO, capacity: 0),
      isOutputTerminal: Terminal.isTerminal(STDOUT_FILENO),
      isErrorTerminal: Terminal.isTerminal(STDERR_FILENO),
      width: Terminal.width(of: STDOUT_FILENO)
    )
  }

  /// Makes a console that keeps everything in memory, for tests.
  public static func recording(
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
  public func write(_ text: String) {
    output.write(isOutputTerminal ? text.visibleLines : text)
  }

  /// Writes a line to the answers.
  public func print(_ line: String = "") {
    write(line + "\n")
  }

  /// Writes a line to the errors, with no control character but line breaks.
  public func printError(_ line: String) {
    errors.write(line.visibleLines + "\n")
  }
}
