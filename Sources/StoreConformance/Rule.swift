import StoreProtocol

/// One rule of the store contract, with the check that a store keeps it.
public struct Rule: Identifiable, Sendable {
  /// How strictly a rule is meant.
  public enum Level: String, Codable, Sendable {
    /// A store that breaks it loses or changes data, or answers wrongly.
    case must = "MUST"
    /// A store that breaks it has a reason.
    case should = "SHOULD"
    /// A store is free to do so, and nobody may rely on it.
    case may = "MAY"
  }

  /// What a rule is tried with.
  public enum Interface: Sendable {
    /// The rows of a ``RecordStore``.
    case records
    /// The plain transactions of a ``HistoryKeeping`` store.
    case transactions
    /// Models in a context, which any `DataStore` can keep.
    case models
  }

  /// The chapter and number, such as `SAVE-003`, the same for all time.
  public let id: String
  /// How strictly the rule is meant.
  public let level: Level
  /// The rule in one sentence.
  public let sentence: String
  /// What a store must have declared for the rule to apply.
  public let needs: [Capability]
  /// What the fixture must be able to do for the rule to be tried.
  public let hooks: [FixtureHook]
  /// What the rule is tried with.
  public let interface: Interface
  /// The version of the suite that had the rule first.
  public let since: Int
  private let body: @Sendable (StoreBench) throws -> Void

  init(
    _ id: String,
    _ level: Level,
    _ sentence: String,
    needs: [Capability] = [],
    hooks: [FixtureHook] = [],
    interface: Interface = .records,
    since: Int = 1,
    check body: @escaping @Sendable (StoreBench) throws -> Void
  ) {
    self.id = id
    self.level = level
    self.sentence = sentence
    self.needs = needs
    self.hooks = hooks
    self.interface = interface
    self.since = since
    self.body = body
  }

  /// Creates a rule that every store has to keep.
  init(
    _ id: String,
    _ sentence: String,
    needs: [Capability] = [],
    hooks: [FixtureHook] = [],
    interface: Interface = .records,
    since: Int = 1,
    check body: @escaping @Sendable (StoreBench) throws -> Void
  ) {
    self.init(
      id,
      .must,
      sentence,
      needs: needs,
      hooks: hooks,
      interface: interface,
      since: since,
      check: body
    )
  }

  /// Tries the rule on a store in a fresh place, which is removed in the end.
  ///
  /// The rule is tried whatever the store declares; ``ConformanceRun`` knows which rules apply.
  ///
  /// - Throws: A ``RuleViolation`` with what was expected and what was found, also where the store
  ///   threw an error that nothing called for.
  public func check(_ fixture: some StoreFixture) throws {
    let settings = ConformanceSettings()
    try check(patience: settings.patience) { try StoreBench(fixture, settings: settings, $0) }
  }

  func check(
    patience: Duration,
    _ makeBench: @escaping @Sendable (Trace) throws -> StoreBench
  ) throws {
    let trace = Trace()
    let error = Watchdog.run(patience: patience, trace: trace) { [self] in
      let bench = try makeBench(trace)
      bench.rule = id
      defer { bench.destroy() }
      try body(bench)
    }
    switch error {
    case nil: return
    case let violation as RuleViolation: throw violation.of(self, after: trace.lines)
    case let error?:
      let violation = RuleViolation("the store works", expected: "no error", found: "\(error)")
      throw violation.of(self, after: trace.lines)
    }
  }
}

extension Rule {
  /// The chapter that the rule stands in.
  public var chapter: Chapter { Chapter.of(id) }

  /// The tier that a store breaks with the rule.
  public var tier: Tier {
    let own = chapter.tier
    guard own == .core || own == .relationships else { return own }
    if needs.contains(.durability) { return .durability }
    return needs.contains(.nativeFiltering) || needs.contains(.nativeSorting) ? .query : own
  }
}

extension Rule: CustomStringConvertible {
  /// The number with the sentence, as reports show it.
  public var description: String { "\(id) \(level.rawValue) \(sentence)" }
}

extension Rule {
  /// All rules of the contract, chapter by chapter.
  public static let all: [Rule] =
    LifecycleRules.all + IdentifierRules.all + ValueRules.all + AtomicityRules.all
    + LimitRules.all + SizeRules.all + ModelRules.all + QueryRules.all + ExactnessRules.all
    + ReferenceQueryRules.all + NodeRules.all + DirectedRules.all + SelectionRules.all
    + SortingRules.all + WindowRules.all + DirectRules.all + CountingRules.all
    + RelationshipRules.all + DeletionRules.all + UniquenessRules.all + UniqueReferenceRules.all
    + UniqueTypeRules.all + RequiredReferenceRules.all + HistoryRules.all + TombstoneRules.all
    + HistoryPastRules.all + HistoryCauseRules.all + BatchRules.all
    + MigrationRules.all + VersionRules.all
    + ConcurrencyRules.all + ConcurrentHistoryRules.all + RefusalRules.all + FaultRules.all
    + RandomRules.all

  /// The rules that apply to stores with some capabilities.
  public static func all(for capabilities: StoreCapabilities) -> [Rule] {
    all.filter { rule in rule.needs.allSatisfy { $0.isDeclared(by: capabilities) } }
  }

  /// The rules that apply to the store of a fixture, by what the store itself declares and what the
  /// fixture can do.
  public static func all(for fixture: some StoreFixture) throws -> [Rule] {
    try ConformanceRun(fixture).rules
  }
}
