/// The end of a program of tests by a signal, in the output of `swift test`.
struct TestCrash {
  /// The calls that were active, innermost first, with the reason as an error.
  private(set) var entries: [(file: String, error: CompilerErrors.Entry)] = []

  /// Finds a crash, or returns `nil` if the program ended by itself.
  ///
  /// - Parameters:
  ///   - output: The output of the program, with a backtrace.
  ///   - files: The paths of the package's files.
  init?(in output: String, files: Set<String>) {
    guard output.contains("unexpected signal") else { return nil }
    var reason = "the program of the tests ends by a signal"
    for line in output.split(whereSeparator: \.isNewline) {
      if let match = line.firstMatch(of: #/Fatal error: .*$/#) { reason = String(match.output) }
      guard let match = line.firstMatch(of: #/ at (/.*):(\d+):(\d+)$/#),
        let number = Int(match.output.2), let column = Int(match.output.3),
        let file = CompilerErrors.file(at: match.output.1, of: files)
      else { continue }
      let position = CompilerErrors.Position(line: number, column: column)
      entries.append(
        (file, CompilerErrors.Entry(position: position, message: "it crashes: \(reason)"))
      )
    }
  }
}
