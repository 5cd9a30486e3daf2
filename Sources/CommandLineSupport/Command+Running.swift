import Foundation

extension Command {
  /// Runs the program with the words of its command line.
  ///
  /// When this method returns, all console output has been passed to the system, and an error, if
  /// any, has been written to standard error.
  ///
  /// - Parameters:
  ///   - words: The words after the program's own name.
  ///   - environment: The variables that options may be read from.
  ///   - console: The destination of output and errors.
  /// - Returns: The exit code of the process.
  package func run(
    _ words: [String],
    environment: [String: String] = ProcessInfo.processInfo.environment,
    console: Console = .standard()
  ) async -> ExitCode {
    var parser = InvocationParser(self, words: words, environment: environment)
    do {
      switch try parser.parse() {
      case .help(let path): console.write(HelpText(path: path).text)
      case .version(let version): console.print("\(name) \(version)")
      case .run(let invocation, let action): try await action(invocation, console)
      }
      try console.output.flush()
      return .success
    } catch {
      return report(error, path: parser.commands, console: console)
    }
  }

  /// Runs the program with the words of this process and ends the process with its code.
  package func main() async -> Never {
    exit(await run(Array(CommandLine.arguments.dropFirst())).rawValue)
  }

  private func report(_ error: any Error, path: [Command], console: Console) -> ExitCode {
    // The output so far comes first, so that the error is the last thing on a terminal. If standard
    // output itself failed, the error below says so.
    try? console.output.flush()
    console.printError("\(name): \(Self.sentence(for: error))")
    guard error is UsageError else { return .failure }
    console.printError("See '\(HelpText(path: path).name) --help'.")
    return .usage
  }

  /// Returns the message of an error.
  static func sentence(for error: any Error) -> String {
    (error as? any LocalizedError)?.errorDescription ?? String(describing: error)
  }
}
