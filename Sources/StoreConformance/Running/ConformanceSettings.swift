/// The settings of a run of the suite; equal settings test the same cases everywhere.
public struct ConformanceSettings: Sendable {
  /// The extent of the rules about limits and random operations.
  public enum Budget: String, CaseIterable, Sendable {
    /// A run of a few seconds, for every build.
    case short
    /// A complete run, for example with a hundred thousand rows, for every release.
    case full
  }

  /// The seed of random numbers, which is combined with the number of the rule.
  public var seed: UInt64
  /// The extent of the run.
  public var budget: Budget
  /// Seeds with which rules failed once, to be tested first.
  public var regressions: RegressionSeeds
  /// How long a rule may wait for one request to the store before the run gives it up and goes on.
  ///
  /// A rule that has sent many rows waits so long for each 10,000 of them.
  public var patience: Duration

  /// Creates settings.
  public init(
    seed: UInt64 = 0,
    budget: Budget = .short,
    regressions: RegressionSeeds = RegressionSeeds(),
    patience: Duration = .seconds(120)
  ) {
    self.seed = seed
    self.budget = budget
    self.regressions = regressions
    self.patience = patience
  }

  /// Returns a number of operations for short and for full runs.
  func count(short: Int, full: Int) -> Int { budget == .short ? short : full }
}

/// Seeds with which random rules failed once, in a file, so that they are always tested again.
///
/// Each line has a rule, a seed and a reason: `RANDOM-301 8231 # lost a list`. Empty lines and
/// lines that begin with `#` are comments.
public struct RegressionSeeds: Sendable {
  private var seeds: [String: [UInt64]] = [:]

  /// Creates an empty list.
  public init() {}

  /// Reads the text of a file.
  ///
  /// - Throws: A ``RuleViolation`` that names the invalid line.
  public init(_ text: String) throws {
    for (index, line) in text.split(separator: "\n", omittingEmptySubsequences: false).enumerated()
    {
      let words = line.prefix { $0 != "#" }.split(whereSeparator: \.isWhitespace)
      guard !words.isEmpty else { continue }
      guard words.count == 2, let seed = UInt64(words[1]) else {
        throw RuleViolation(
          "line \(index + 1) of the regression seeds",
          expected: "a rule and a seed, such as RANDOM-301 8231",
          found: String(line)
        )
      }
      seeds[String(words[0]), default: []].append(seed)
    }
  }

  /// Returns the seeds of a rule.
  subscript(rule: String) -> [UInt64] { seeds[rule] ?? [] }
}
