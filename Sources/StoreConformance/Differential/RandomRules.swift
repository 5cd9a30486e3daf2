/// Random operations against the model of the contract, and random queries against the evaluator.
enum RandomRules {
  static let all: [Rule] =
    (1...4).map { number in
      Rule(
        "RANDOM-20\(number)",
        "Random queries return the results of the evaluator; seed \(number).",
        needs: [.nativeFiltering, .nativeSorting]
      ) { try queries($0, seed: UInt64(200 + number), rounds: 60) }
    }
    + [
      Rule(
        "RANDOM-301",
        "After random changes of every kind, all that a store shows equals the model of the "
          + "contract.",
        since: 2
      ) { try machine($0, seed: 301, reopens: false) },
      Rule(
        "RANDOM-401",
        "RANDOM-301 also applies if the store is reopened in between.",
        needs: [.durability],
        since: 2
      ) { try machine($0, seed: 401, reopens: true) },
    ]

  /// The number of steps with each seed in short runs.
  static let shortSteps = 60

  /// Returns the seeds of a rule in a run.
  ///
  /// Several seeds with different rows find more than one long case, and cost less.
  static func seeds(_ own: UInt64, run: UInt64) -> [UInt64] {
    let first = own &+ run &* 1_000_003
    return (0..<5).map { first &+ $0 &* 10_007 }
  }

  /// Returns the seeds of a rule in this run, after those with which it failed once.
  private static func seeds(_ bench: StoreBench, _ own: UInt64) -> [UInt64] {
    bench.settings.regressions[bench.rule] + seeds(own, run: bench.settings.seed)
  }

  private static func machine(_ bench: StoreBench, seed: UInt64, reopens: Bool) throws {
    let steps = bench.settings.count(short: shortSteps, full: 600)
    for seed in seeds(bench, seed) {
      try bench.withNeighbour { neighbour in
        try MachineCase.run(on: neighbour, seed: seed, steps: steps, reopens: reopens)
      }
    }
  }

  private static func queries(_ bench: StoreBench, seed: UInt64, rounds: Int) throws {
    for seed in seeds(bench, seed) {
      let report = try DifferentialRun(beside: bench, seed: seed).report(
        questions: bench.settings.count(short: rounds, full: rounds * 10),
        findings: 1
      )
      guard let finding = report.findings.first else { continue }
      throw RuleViolation(
        finding.description,
        expected: finding.difference.expected,
        found: finding.difference.found,
        isWholeCase: true
      )
    }
  }
}
