import StoreProtocol

/// What came of a run, rule by rule, to be read by people and by machines.
public struct ConformanceReport: Sendable {
  /// What a store makes of one tier.
  public enum TierState: Sendable {
    /// It claims the tier and keeps all of its rules that were tried.
    case kept(tried: Int, skipped: Int)
    /// It breaks rules of the tier.
    case broken(rules: [String], tried: Int)
    /// It does not claim the tier, for this reason.
    case notClaimed(String)
    /// It claims the tier, and no rule of it was tried, for this reason.
    case notTried(String)
  }

  /// The kind of store.
  public let storeName: String
  /// How the run was made.
  public let settings: ConformanceSettings
  /// What the store declares.
  public let capabilities: StoreCapabilities
  /// What to do first: the step that a store must master before a rule can be tried, or `nil` if it
  /// does.
  public let start: RuleViolation?
  /// The results in the order of the contract.
  public let results: [RuleResult]

  /// The results with which the store does not conform.
  public var failures: [RuleResult] { results.filter(\.isFailure) }

  /// Whether the store keeps all that was tried and acknowledged.
  public var isConforming: Bool { start == nil && failures.isEmpty }

  /// What the store makes of a tier.
  public func state(of tier: Tier) -> TierState {
    let results = results.filter { $0.rule.tier == tier && $0.isAcknowledged }
    let tried = results.filter(\.wasTried)
    let broken = tried.filter { !$0.isKept }.map(\.rule.id)
    if !broken.isEmpty { return .broken(rules: broken, tried: tried.count) }
    if let reason = tier.reasonForLeavingOut(capabilities) { return .notClaimed(reason) }
    guard !tried.isEmpty else {
      return .notTried(results.first?.reason ?? "the suite has no rule of it yet")
    }
    return .kept(tried: tried.count, skipped: results.count - tried.count)
  }

  /// One line for each tier, to be shown wherever the store is.
  public var badges: [String] {
    Tier.allCases.map { tier in
      switch state(of: tier) {
      case .kept(let tried, _): "\(tier.title): passed, \(tried) rules"
      case .broken(let rules, let tried):
        "\(tier.title): failed, \(rules.count) of \(tried) rules (\(rules.joined(separator: ", ")))"
      case .notClaimed(let reason): "\(tier.title): not claimed, \(reason)"
      case .notTried(let reason): "\(tier.title): not tried, \(reason)"
      }
    }
  }

  /// How one rule alone is tried again in the same way.
  public func reproduction(of rule: Rule) -> String {
    let settings =
      "settings: ConformanceSettings(seed: \(self.settings.seed), "
      + "budget: .\(self.settings.budget.rawValue))"
    return "try ConformanceRun(Fixture(), \(settings)).check(\"\(rule.id)\")"
  }

  /// What the store declares, as names and words.
  var declarations: [(name: String, word: String)] {
    [
      ("filtering", Self.word(capabilities.filtering)),
      ("sorting", Self.word(capabilities.sorting)),
      ("uniqueness", Self.word(capabilities.uniqueness)),
      ("batch delete", Self.word(capabilities.batchDelete)),
      ("history", Self.word(capabilities.history)),
      ("migration", Self.word(capabilities.migration)),
      ("several processes", Self.word(capabilities.concurrentProcesses)),
      ("versions", Self.word(capabilities.versions)),
      ("durability", capabilities.durability.rawValue),
    ]
  }

  private static func word(_ support: StoreCapabilities.Support) -> String {
    switch support {
    case .native: "native"
    case .emulated: "by the layer above"
    case .unsupported(let reason): "no: \(reason)"
    }
  }
}

extension ConformanceRun {
  /// Tries the rule of a number, also one that would be skipped.
  ///
  /// - Throws: A ``RuleViolation`` when the store breaks it, or when there is no such rule.
  public func check(_ id: String) throws {
    guard let rule = rulesOfAll.first(where: { $0.id == id }) else {
      throw RuleViolation("the suite", expected: "a rule with the number \(id)", found: "none")
    }
    try check(rule)
  }
}
