import Foundation

extension Command {
  /// Runs the program for the words of its command line.
  ///
  /// When this method returns, everything written to the console has reached the system, and what
  /// went wrong, if anything, stands on standard error.
  ///
  /// - Parameters:
  ///   - words: The words behind the program's own name.
  ///   - environment: The variables that options may be read from.
  ///   - console: Where answers and errors go.
  /// - Returns: The code to leave the process with.
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

  /// Runs the program for the words of this process and ends the process with its code.
  package func main() async -> Never {
    exit(await run(Array(CommandLine.arguments.dropFirst())).rawValue)
  }

  private func report(_ error: any Error, path: [Command], console: Console) -> ExitCode {
    // The answer so far comes first, so that the error is the last thing on a terminal. If
    // standard output itself failed, the error below says so.
    try? console.output.flush()
    console.printError("\(name): \(Self.sentence(for: error))")
    guard error is UsageError else { return .failure }
    console.printError("See '\(HelpText(path: path).name) --help'.")
    return .usage
  }

  /// Finds the sentence that an error says about itself.
  static func sentence(for error: any Error) -> String {
    (error as? any LocalizedError)?.errorDescription ?? String(describing: error)
  }
}
