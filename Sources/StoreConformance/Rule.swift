import StoreProtocol

/// A rule of the store contract, with its check.
public struct Rule: Identifiable, Sendable {
  /// The strictness of a rule.
  public enum Level: String, Codable, Sendable {
    /// A store that breaks the rule loses or changes data, or returns wrong results.
    case must = "MUST"
    /// A store may break the rule for a good reason.
    case should = "SHOULD"
    /// A store may do so, and no program may depend on it.
    case may = "MAY"
  }

  /// The interface through which a rule is tested.
  public enum Interface: Sendable {
    /// The rows of a ``RecordStore``.
    case records
    /// The plain transactions of a ``HistoryKeeping`` store.
    case transactions
    /// Models in a context, which any `DataStore` can store.
    case models
  }

  /// The chapter and number, such as `ATOM-003`, which never change.
  public let id: String
  /// The strictness of the rule.
  public let level: Level
  /// The rule in one sentence.
  public let sentence: String
  /// The capabilities that a store must declare for the rule to apply.
  public let needs: [Capability]
  /// The hooks that the fixture must support for the rule to be tested.
  public let hooks: [FixtureHook]
  /// The interface through which the rule is tested.
  public let interface: Interface
  /// The first version of the suite with the rule.
  public let since: Int
  private let body: Check

  typealias Check = @Sendable (StoreBench) throws -> Void

  init(
    _ id: String,
    _ sentence: String,
    level: Level = .must,
    needs: [Capability] = [],
    hooks: [FixtureHook] = [],
    interface: Interface = .records,
    since: Int = 1,
    _ body: @escaping Check
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

  /// Returns a function that creates rules with the same needs.
  static func making(
    needs: [Capability] = [],
    interface: Interface = .records,
    since: Int = 1
  ) -> @Sendable (String, String, @escaping Check) -> Rule {
    { Rule($0, $1, needs: needs, interface: interface, since: since, $2) }
  }

  /// Creates a rule for stores that keep their rows.
  static func durable(
    _ id: String,
    _ sentence: String,
    since: Int = 1,
    _ body: @escaping Check
  ) -> Rule {
    Rule(id, sentence, needs: [.durability], since: since, body)
  }

  /// A rule that the second version of the suite added.
  static let second = making(since: 2)

  /// Tests the rule on a new store, which is removed afterwards.
  ///
  /// The rule is tested whatever the store declares; ``ConformanceRun`` determines which rules
  /// apply.
  ///
  /// - Throws: A ``RuleViolation`` with the expected and the actual result, also if the store threw
  ///   an unexpected error.
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
    guard let error else { return }
    throw RuleViolation.wrapping(error, as: "the store works").of(self, after: trace.lines)
  }
}

extension Rule {
  /// The chapter of the rule.
  public var chapter: Chapter { Chapter.of(id) }

  /// The tier that a store fails if it breaks the rule.
  public var tier: Tier {
    let own = chapter.tier
    guard own == .core || own == .relationships else { return own }
    if needs.contains(.durability) { return .durability }
    return needs.contains(.nativeFiltering) || needs.contains(.nativeSorting) ? .query : own
  }
}

extension Rule: CustomStringConvertible {
  /// The number and the sentence, for reports.
  public var description: String { "\(id) \(level.rawValue) \(sentence)" }
}

extension Rule {
  /// All rules of the contract, chapter by chapter.
  public static let all: [Rule] =
    LifecycleRules.all + IdentifierRules.all + ValueRules.all + AtomicityRules.all
    + LimitRules.all + ModelRules.all + QueryRules.all + ExactnessRules.all
    + DirectedRules.all + DirectedRules.related + SelectionRules.all + SortingRules.all
    + PagingRules.all + DirectRules.all + CountingRules.all + RelationshipRules.all
    + DeletionRules.all
    + UniquenessRules.all + UniqueTypeRules.all + RequiredReferenceRules.all + HistoryRules.all
    + HistoryPastRules.all + BatchRules.all + MigrationRules.all + VersionRules.all
    + ProtectionRules.all + ConcurrencyRules.all + ConcurrentHistoryRules.all + RefusalRules.all
    + FaultRules.all + RandomRules.all

  /// Returns the rules that apply to stores with some capabilities.
  public static func all(for capabilities: StoreCapabilities) -> [Rule] {
    all.filter { rule in rule.needs.allSatisfy { $0.isDeclared(by: capabilities) } }
  }

  /// Returns the rules that apply to the store of a fixture, by the store's capabilities and the
  /// fixture's hooks.
  public static func all(for fixture: some StoreFixture) throws -> [Rule] {
    try ConformanceRun(fixture).rules
  }
}
