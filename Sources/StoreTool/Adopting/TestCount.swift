/// The number of tests, as the output of `swift test` has them.
struct TestCount: Encodable, Equatable {
  private(set) var run = 0
  private(set) var failed = 0
  /// The number of tests in files and declarations that are left out.
  var leftOut = 0
  /// The tests that began and did not end.
  private(set) var unended: [String] = []

  /// Counts the lines of single tests: a program that crashes prints no summary.
  init(in output: String) {
    for line in output.split(whereSeparator: \.isNewline) {
      guard
        let match = line.firstMatch(
          of: #/^(?:Test Case '(.*)' |[◇✔✘] Test (.*) )(started|passed|failed)(?: |\.|$)/#
        ), let name = (match.output.1 ?? match.output.2).map(String.init)
      else { continue }
      // Other lines are of the arguments of a test, and of the whole run.
      if name.hasPrefix("case ") || name.hasPrefix("run with ") || name == "run" { continue }
      if match.output.3 == "started" {
        unended.append(name)
        continue
      }
      unended.removeAll { name == $0 || name.hasPrefix($0 + " with ") }
      run += 1
      if match.output.3 == "failed" { failed += 1 }
    }
  }
}
