import StoreProtocol

/// A run of the suite on one type of store.
///
/// The run selects the rules by the store's capabilities and the fixture's hooks; no rule passes by
/// ending early.
///
/// ```swift
/// let run = ConformanceRun(Fixture())
/// @Test(arguments: try run.rules) func keeps(_ rule: Rule) throws { try run.check(rule) }
/// ```
public struct ConformanceRun: Sendable {
  /// The version of the suite; it grows when rules are added.
  public static let suiteVersion = 2

  /// The type of store.
  public let storeName: String
  /// The settings of the run.
  public let settings: ConformanceSettings
  /// The reasons of known failures, by the numbers of the rules.
  public let knownFailures: [String: String]
  /// The version of the suite whose rules the author knows.
  ///
  /// Later rules are tested and reported, but do not fail the run yet.
  public let acknowledged: Int
  let rulesOfAll: [Rule]
  private let hooks: Set<FixtureHook>
  private let hasRecords: Bool
  private let hasTransactions: Bool
  private let makeBench: @Sendable (Trace) throws -> StoreBench
  private let declared: @Sendable () throws -> StoreCapabilities

  /// Creates a run on stores with records.
  ///
  /// - Parameters:
  ///   - fixture: The fixture that creates the stores.
  ///   - settings: The settings of the run.
  ///   - knownFailures: The numbers of rules that the store is known to break, each with a reason.
  ///     A rule in this list that the store keeps fails the run, so that the list stays correct.
  ///   - acknowledged: The version of the suite whose rules the author knows, by default all.
  public init<Fixture: StoreFixture>(
    _ fixture: Fixture,
    settings: ConformanceSettings = ConformanceSettings(),
    knownFailures: [String: String] = [:],
    acknowledged: Int = suiteVersion
  ) {
    self.init(
      fixture,
      rules: Rule.all,
      settings: settings,
      knownFailures: knownFailures,
      acknowledged: acknowledged
    )
  }

  init<Fixture: StoreFixture>(
    _ fixture: Fixture,
    rules: [Rule],
    settings: ConformanceSettings = ConformanceSettings(),
    knownFailures: [String: String] = [:],
    acknowledged: Int = suiteVersion
  ) {
    storeName = "\(Fixture.Store.self)"
    self.settings = settings
    self.knownFailures = knownFailures
    self.acknowledged = acknowledged
    rulesOfAll = rules
    hooks = fixture.hooks
    hasRecords = true
    hasTransactions = Fixture.Store.self is any HistoryKeeping.Type
    let make: @Sendable (Trace) throws -> StoreBench = {
      try StoreBench(fixture, settings: settings, $0)
    }
    makeBench = make
    declared = {
      let bench = try make(Trace())
      defer { bench.destroy() }
      return try bench.store.capabilities
    }
  }

  /// Creates a run on stores that store models and have no records.
  public init<Fixture: ModelStoreFixture>(
    _ fixture: Fixture,
    settings: ConformanceSettings = ConformanceSettings(),
    knownFailures: [String: String] = [:],
    acknowledged: Int = suiteVersion
  ) {
    storeName = "\(Fixture.Configuration.Store.self)"
    self.settings = settings
    self.knownFailures = knownFailures
    self.acknowledged = acknowledged
    rulesOfAll = Rule.all
    hooks = []
    hasRecords = false
    hasTransactions = false
    makeBench = { try StoreBench(fixture, settings: settings, $0) }
    declared = { fixture.capabilities }
  }

  /// The capabilities that the store declares; this opens a store.
  public var capabilities: StoreCapabilities { get throws { try declared() } }

  /// The rules that are tested, in the order of the contract.
  ///
  /// Rules that are not acknowledged are only in the report.
  public var rules: [Rule] {
    get throws { try rulesThatApply().filter { $0.since <= acknowledged } }
  }

  /// Returns the rules that are tested, acknowledged or not.
  func rulesThatApply() throws -> [Rule] {
    let capabilities = try capabilities
    return rulesOfAll.filter { reasonToSkip($0, capabilities) == nil }
  }

  /// Returns why a rule is not tested on a store with some capabilities, or `nil` if it is.
  func reasonToSkip(_ rule: Rule, _ capabilities: StoreCapabilities) -> String? {
    if !hasRecords, rule.interface != .models {
      return "the store supports models only, and the rule tests records"
    }
    for need in rule.needs {
      if let reason = need.reasonForLack(in: capabilities) { return reason }
    }
    if !hasTransactions, rule.interface == .transactions {
      return "the store has its own type of history, and the rule tests plain transactions"
    }
    return rule.hooks.first { !hooks.contains($0) }?.reasonForLack
  }

  /// Tests one rule.
  ///
  /// - Throws: A ``RuleViolation`` if the store breaks it, or if it is a known failure and the
  ///   store keeps it.
  public func check(_ rule: Rule) throws {
    let result = result(of: rule)
    if case .failed(let violation) = result.outcome { throw violation }
    if case .passedThoughKnown(let reason) = result.outcome {
      throw RuleViolation(
        "the known failure (\(reason))",
        expected: "to fail",
        found: "that the rule passes; remove it from the list"
      ).of(rule)
    }
  }

  /// Tests one rule that applies.
  func result(of rule: Rule) -> RuleResult {
    let clock = ContinuousClock()
    var found: RuleViolation?
    let time = clock.measure { found = violation(of: rule) }
    return result(of: rule, found, time)
  }

  /// Returns the violation of a rule, or `nil` if the store keeps it.
  private func violation(of rule: Rule) -> RuleViolation? {
    let marks = UnfinishedRules(of: storeName)
    marks.reportEnded(of: storeName)
    let end = marks.begin(rule.id)
    defer { end() }
    do {
      try rule.check(patience: settings.patience, makeBench)
      return nil
    } catch {
      return error as? RuleViolation
    }
  }

  /// Returns the violation of a rule with a number, or `nil` if the store keeps it.
  ///
  /// - Throws: A ``RuleViolation`` if there is no such rule.
  func violation(of id: String) throws -> RuleViolation? { try violation(of: rule(id)) }

  /// Returns the result of a rule from its violation, if there is one.
  func result(of rule: Rule, _ violation: RuleViolation?, _ time: Duration) -> RuleResult {
    let outcome: RuleResult.Outcome
    switch (violation, knownFailures[rule.id]) {
    case (nil, nil): outcome = .passed
    case (let violation?, nil): outcome = .failed(violation)
    case (nil, let reason?): outcome = .passedThoughKnown(reason)
    case (let violation?, let reason?): outcome = .failedAsKnown(reason, violation)
    }
    return RuleResult(
      rule: rule,
      outcome: outcome,
      isAcknowledged: rule.since <= acknowledged,
      duration: time
    )
  }

  /// Tests all rules that apply, and reports why the others were skipped.
  ///
  /// If a store cannot save and fetch one row, no rule is tested: the report says where to begin.
  ///
  /// - Parameters:
  ///   - isChosen: The rules to test, by default all; the report shows the others as skipped.
  ///   - progress: A closure that is called with each result.
  /// - Returns: The report with the result of each rule.
  /// - Throws: The store's error if reading its capabilities fails after it saved a row.
  public func report(
    _ isChosen: (Rule) -> Bool = { _ in true },
    progress: (RuleResult) -> Void = { _ in }
  ) throws -> ConformanceReport {
    try report(isChosen, progress, beginning(), test: result(of:))
  }

  /// Returns the first step that fails before any rule can be tested, or `nil` if all succeed.
  func beginning() -> RuleViolation? {
    hasRecords ? Basics.failure(of: storeName, patience: settings.patience, makeBench) : nil
  }

  func report(
    _ isChosen: (Rule) -> Bool,
    _ progress: (RuleResult) -> Void,
    _ start: RuleViolation?,
    test: (Rule) -> RuleResult
  ) throws -> ConformanceReport {
    let capabilities = start == nil ? try capabilities : StoreCapabilities()
    let results = rulesOfAll.map { rule in
      let reason =
        start.map { _ in "the store cannot save and fetch a row yet" }
        ?? reasonToSkip(rule, capabilities) ?? (isChosen(rule) ? nil : "the run excludes the rule")
      let result =
        reason.map { reason in
          RuleResult(rule: rule, outcome: .skipped(reason), isAcknowledged: true, duration: .zero)
        } ?? test(rule)
      progress(result)
      return result
    }
    return ConformanceReport(
      storeName: storeName,
      settings: settings,
      capabilities: capabilities,
      start: start,
      results: results
    )
  }
}
