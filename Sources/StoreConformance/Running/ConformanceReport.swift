import StoreProtocol

/// The results of a run, rule by rule, for people and programs.
public struct ConformanceReport: Sendable {
  /// The state of one tier for a store.
  public enum TierState: Sendable {
    /// The store claims the tier and keeps all of its rules that were tested.
    case kept(tried: Int, skipped: Int)
    /// The store breaks rules of the tier.
    case broken(rules: [String], tried: Int)
    /// The store does not claim the tier, for this reason.
    case notClaimed(String)
    /// The store claims the tier, and no rule of it was tested, for this reason.
    case notTried(String)
  }

  /// The type of store.
  public let storeName: String
  /// The settings of the run.
  public let settings: ConformanceSettings
  /// The capabilities that the store declares.
  public let capabilities: StoreCapabilities
  /// The step that must succeed before rules can be tested, or `nil` if it does.
  public let start: RuleViolation?
  /// The results in the order of the contract.
  public let results: [RuleResult]

  /// The results because of which the store does not conform.
  public var failures: [RuleResult] { results.filter(\.isFailure) }

  /// A Boolean value that indicates whether the store keeps all tested and acknowledged rules.
  public var isConforming: Bool { start == nil && failures.isEmpty }

  /// Returns the state of a tier for the store.
  public func state(of tier: Tier) -> TierState {
    let results = results.filter { $0.rule.tier == tier && $0.isAcknowledged }
    let tried = results.filter(\.wasTried)
    let broken = tried.filter { !$0.isKept }.map(\.rule.id)
    if !broken.isEmpty { return .broken(rules: broken, tried: tried.count) }
    if let reason = tier.reasonForLeavingOut(capabilities) { return .notClaimed(reason) }
    guard !tried.isEmpty else {
      return .notTried(results.first?.reason ?? "the suite has no rule of this tier")
    }
    return .kept(tried: tried.count, skipped: results.count - tried.count)
  }

  /// A line for each tier, to display with the store.
  public var badges: [String] {
    Tier.allCases.map { tier in
      switch state(of: tier) {
      case .kept(let tried, _): "\(tier.title): passed, \(tried) rules"
      case .broken(let rules, let tried):
        "\(tier.title): failed, \(rules.count) of \(tried) rules (\(rules.joined(separator: ", ")))"
      case .notClaimed(let reason): "\(tier.title): not claimed, \(reason)"
      case .notTried(let reason): "\(tier.title): not tested, \(reason)"
      }
    }
  }

  /// Returns the code that runs one rule again with the same settings.
  public func reproduction(of rule: Rule) -> String {
    let settings =
      "settings: ConformanceSettings(seed: \(self.settings.seed), "
      + "budget: .\(self.settings.budget.rawValue))"
    return "try ConformanceRun(Fixture(), \(settings)).check(\"\(rule.id)\")"
  }

  /// The declared capabilities, as names and words.
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
  /// Tests a rule by its number, even if it would be skipped.
  ///
  /// - Throws: A ``RuleViolation`` if the store breaks it, or if there is no such rule.
  public func check(_ id: String) throws { try check(rule(id)) }

  /// Returns the rule with a number.
  ///
  /// - Throws: A ``RuleViolation`` if there is none.
  func rule(_ id: String) throws -> Rule {
    guard let rule = rulesOfAll.first(where: { $0.id == id }) else {
      throw RuleViolation("the suite", expected: "a rule with the number \(id)", found: "none")
    }
    return rule
  }
}
