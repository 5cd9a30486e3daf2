/// The number of tests, as the output of `swift test` has them.
struct TestCount: Encodable, Equatable {
  private(set) var run = 0
  private(set) var failed = 0
  /// The number of tests in files and declarations that are left out.
  var leftOut = 0

  /// Counts the lines of single tests: a program that crashes prints no summary.
  init(in output: String) {
    for line in output.split(whereSeparator: \.isNewline) {
      if line.firstMatch(of: #/^Test Case '.*' (passed|failed) \(/#) != nil {
        count(failed: line.contains("' failed ("))
      } else if let match = line.firstMatch(of: #/^[✔✘] Test (.*) (passed|failed) after/#) {
        // Other lines are of the arguments of a test, and of the whole run.
        guard !match.output.1.hasPrefix("case "), !match.output.1.hasPrefix("run with ") else {
          continue
        }
        count(failed: match.output.2 == "failed")
      }
    }
  }

  private mutating func count(failed isFailure: Bool) {
    run += 1
    if isFailure { failed += 1 }
  }
}
