/// What came of one rule.
public struct RuleResult: Sendable {
  /// How a rule went.
  public enum Outcome: Sendable {
    /// The store keeps it.
    case passed
    /// The store breaks it.
    case failed(RuleViolation)
    /// It was not tried, for this reason.
    case skipped(String)
    /// The store breaks it, as is known for this reason.
    case failedAsKnown(String, RuleViolation)
    /// The store keeps it, though it is known to break it for this reason.
    case passedThoughKnown(String)
  }

  /// The rule.
  public let rule: Rule
  /// How it went.
  public let outcome: Outcome
  /// Whether the author knows the rule; where not, a failure is told and fails nothing yet.
  public let isAcknowledged: Bool
  /// How long it took.
  public let duration: Duration

  init(rule: Rule, outcome: Outcome, isAcknowledged: Bool, duration: Duration) {
    self.rule = rule
    self.outcome = outcome
    self.isAcknowledged = isAcknowledged
    self.duration = duration
  }

  init(rule: Rule, skipped reason: String, isAcknowledged: Bool) {
    self.init(
      rule: rule,
      outcome: .skipped(reason),
      isAcknowledged: isAcknowledged,
      duration: .zero
    )
  }

  /// Whether a store with this result does not conform.
  public var isFailure: Bool {
    guard isAcknowledged else { return false }
    return switch outcome {
    case .failed, .passedThoughKnown: true
    case .passed, .skipped, .failedAsKnown: false
    }
  }

  /// Whether the rule was tried.
  public var wasTried: Bool {
    if case .skipped = outcome { return false }
    return true
  }

  /// Whether the store was found to keep the rule.
  public var isKept: Bool {
    switch outcome {
    case .passed, .passedThoughKnown: true
    case .failed, .failedAsKnown, .skipped: false
    }
  }

  /// One word for the outcome.
  public var word: String {
    switch outcome {
    case .passed: isAcknowledged ? "passed" : "passed, not yet acknowledged"
    case .failed: isAcknowledged ? "failed" : "failed, not yet acknowledged"
    case .skipped: "skipped"
    case .failedAsKnown: "known failure"
    case .passedThoughKnown: "passed though known to fail"
    }
  }

  /// What is to be said beside the word, nil where there is nothing.
  public var reason: String? {
    switch outcome {
    case .skipped(let reason), .failedAsKnown(let reason, _), .passedThoughKnown(let reason):
      reason
    case .passed, .failed: nil
    }
  }

  /// How the store breaks the rule, nil where it does not.
  public var violation: RuleViolation? {
    switch outcome {
    case .failed(let violation), .failedAsKnown(_, let violation): violation
    case .passed, .skipped, .passedThoughKnown: nil
    }
  }
}
