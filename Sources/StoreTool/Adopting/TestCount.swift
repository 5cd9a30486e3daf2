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
      guard let (name, event) = Self.event(in: line) else { continue }
      // Other lines are of the arguments of a test, and of the whole run.
      if name.hasPrefix("case ") || name.hasPrefix("run with ") || name == "run" { continue }
      if event == "started" {
        unended.append(name)
        continue
      }
      unended.removeAll { name == $0 || name.hasPrefix($0 + " with ") }
      run += 1
      if event == "failed" { failed += 1 }
    }
  }

  /// Returns the test that a line names, and whether it is started, passed or failed.
  ///
  /// The messages of issues, which also begin with the name of a test, can have these words too.
  private static func event(in line: Substring) -> (name: String, event: Substring)? {
    if let match = line.firstMatch(of: #/^Test Case '(.*)' (started|passed|failed) /#) {
      return (String(match.output.1), match.output.2)
    }
    let line = line.firstMatch(of: #/^[◇✔✘] Test (.*) (started|passed|failed)(?:\.$| after )/#)
    return line.map { (String($0.output.1), $0.output.2) }
  }
}
