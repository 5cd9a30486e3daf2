import StoreProtocol

/// One run of the suite on one kind of store: which rules apply, and what came of each.
///
/// The run decides what is tried and what is skipped, by what the store declares and the fixture
/// can do; no rule passes by giving up early.
///
/// ```swift
/// let run = ConformanceRun(Fixture())
/// @Test(arguments: try run.rules) func keeps(_ rule: Rule) throws { try run.check(rule) }
/// ```
public struct ConformanceRun: Sendable {
  /// The version of the suite; it grows when rules are added.
  public static let suiteVersion = 2

  /// The kind of store.
  public let storeName: String
  /// How the run is made.
  public let settings: ConformanceSettings
  /// Why rules are known to fail, by their numbers.
  public let knownFailures: [String: String]
  /// The version of the suite whose rules the author knows; later ones are tried and reported, and
  /// fail nothing yet.
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
  ///   - fixture: Makes the stores.
  ///   - settings: How the run is made.
  ///   - knownFailures: The numbers of rules that the store is known to break, each with a reason.
  ///     A rule of these that is kept fails the run, so that the list stays true.
  ///   - acknowledged: The version of the suite whose rules the author knows, all by default.
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

  /// Creates a run on stores that keep models and have no records.
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

  /// What the store declares; a store is opened to be asked.
  public var capabilities: StoreCapabilities { get throws { try declared() } }

  /// The rules that are tried, in the order of the contract; those that are not acknowledged only
  /// stand in the report.
  public var rules: [Rule] {
    get throws {
      let capabilities = try capabilities
      return rulesOfAll.filter {
        $0.since <= acknowledged && reasonToSkip($0, capabilities) == nil
      }
    }
  }

  /// Why a rule is not tried on a store with some capabilities, nil where it is.
  func reasonToSkip(_ rule: Rule, _ capabilities: StoreCapabilities) -> String? {
    if !hasRecords, rule.interface != .models {
      return "the store keeps models only, and the rule speaks of records"
    }
    for need in rule.needs {
      if let reason = need.reasonForLack(in: capabilities) { return reason }
    }
    if !hasTransactions, rule.interface == .transactions {
      return "the store has a history of its own type, and the rule speaks of plain transactions"
    }
    return rule.hooks.first { !hooks.contains($0) }?.reasonForLack
  }

  /// Tries one rule.
  ///
  /// - Throws: A ``RuleViolation`` when the store breaks it, or when it is known to fail and does
  ///   not.
  public func check(_ rule: Rule) throws {
    let result = result(of: rule)
    if case .failed(let violation) = result.outcome { throw violation }
    if case .passedThoughKnown(let reason) = result.outcome {
      throw RuleViolation(
        "the known failure (\(reason))",
        expected: "to fail",
        found: "a store that keeps the rule; take it off the list"
      ).of(rule)
    }
  }

  /// Tries one rule, which is one of those that apply.
  func result(of rule: Rule) -> RuleResult {
    let clock = ContinuousClock()
    var violation: RuleViolation?
    let time = clock.measure {
      do {
        try rule.check(patience: settings.patience, makeBench)
      } catch {
        violation = error as? RuleViolation
      }
    }
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

  /// Tries all rules that apply, and says of the others why they were skipped.
  ///
  /// A store that cannot save and fetch one row is tried no further: the report says where to begin.
  ///
  /// - Parameters:
  ///   - isChosen: Which rules to try, all by default; the others stand in the report as skipped.
  ///   - progress: Is told of each result.
  /// - Returns: What came of each rule.
  /// - Throws: What the store throws when it is asked for its capabilities after it saved a row.
  public func report(
    _ isChosen: (Rule) -> Bool = { _ in true },
    progress: (RuleResult) -> Void = { _ in }
  ) throws -> ConformanceReport {
    let start =
      hasRecords
      ? Basics.failure(of: storeName, patience: settings.patience, makeBench) : nil
    let capabilities = start == nil ? try capabilities : StoreCapabilities()
    let results = rulesOfAll.map { rule in
      let reason =
        start.map { _ in "the store cannot save and fetch a row yet" }
        ?? reasonToSkip(rule, capabilities) ?? (isChosen(rule) ? nil : "it was not asked for")
      let result =
        reason.map { RuleResult(rule: rule, skipped: $0, isAcknowledged: true) }
        ?? result(of: rule)
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
