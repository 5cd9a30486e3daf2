import StoreProtocol

/// Random operations against a dictionary, and random queries against the evaluator.
enum RandomRules {
  static let all: [Rule] =
    (1...4).map { number in
      Rule(
        "RANDOM-00\(number)",
        "After random batches a store holds what a dictionary holds; seed \(number)."
      ) { try operations($0, seed: UInt64(number), steps: 60, reopens: false) }
    }
    + (1...4).map { number in
      Rule(
        "RANDOM-10\(number)",
        "So it does when it is opened again in between; seed \(number).",
        needs: [.durability]
      ) { try operations($0, seed: UInt64(100 + number), steps: 40, reopens: true) }
    }
    + (1...4).map { number in
      Rule(
        "RANDOM-20\(number)",
        "Random queries give what the evaluator gives; seed \(number).",
        needs: [.nativeFiltering, .nativeSorting]
      ) { try queries($0, seed: UInt64(200 + number), rounds: 60) }
    }

  /// Runs random operations and compares everything after each, so that the first step that goes
  /// wrong is the one that is reported.
  private static func operations(
    _ bench: StoreBench,
    seed: UInt64,
    steps: Int,
    reopens: Bool
  ) throws {
    var oracle = Oracle()
    var random = RandomChanges(
      source: RandomSource(seed: seed),
      uniqueness: try bench.store.capabilities.uniqueness.isSupported ? .newGroups : .none
    )
    for step in 1...steps {
      var action = ""
      do {
        action = try self.step(bench, &random, &oracle, reopens: reopens)
        try oracle.check(try bench.store)
      } catch let violation as RuleViolation {
        throw RuleViolation(
          "seed \(seed), step \(step) (\(action)): \(violation.subject)",
          expected: violation.expected,
          found: violation.found
        )
      }
    }
  }

  private static func step(
    _ bench: StoreBench,
    _ random: inout RandomChanges,
    _ oracle: inout Oracle,
    reopens: Bool
  ) throws -> String {
    if reopens, random.source.oneIn(4) {
      try bench.reopen()
      return "reopen"
    }
    if random.source.oneIn(40) {
      try bench.store.erase()
      oracle.erase()
      return "erase"
    }
    let changes = try random.batch(over: oracle.rows.keys.sorted())
    if random.source.oneIn(8) {
      try refuse(bench, changes)
      return "a refused batch"
    }
    let result = try bench.store.apply(changes)
    try oracle.apply(changes, result)
    let numbers = (changes.inserted.count, changes.updated.count, changes.deleted.count)
    return "inserted \(numbers.0), updated \(numbers.1), deleted \(numbers.2)"
  }

  /// Spoils a batch with an update of a row that was never there.
  private static func refuse(_ bench: StoreBench, _ changes: StoreChanges) throws {
    let scope = PersistentIdentifier.Scope(
      storeIdentifier: try bench.store.identifier,
      entityName: "Person"
    )
    let missing = PersistentIdentifier(scope: scope, key: .integer(1 << 40))
    var spoiled = changes
    spoiled.updated.append(try Sample.update(missing, ["age": .integer(1)]))
    try expect("a batch with an update of a missing row", throws: .conflict) {
      _ = try bench.store.apply(spoiled)
    }
  }

  private static func queries(_ bench: StoreBench, seed: UInt64, rounds: Int) throws {
    let report = try DifferentialRun(beside: bench, seed: seed).report(
      questions: rounds,
      findings: 1
    )
    guard let finding = report.findings.first else { return }
    throw RuleViolation(
      finding.description,
      expected: finding.difference.expected,
      found: finding.difference.found
    )
  }
}
