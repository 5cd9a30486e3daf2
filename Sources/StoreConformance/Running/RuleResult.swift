/// The result of one rule.
public struct RuleResult: Sendable {
  /// The outcome of a rule.
  public enum Outcome: Sendable {
    /// The store keeps the rule.
    case passed
    /// The store breaks the rule.
    case failed(RuleViolation)
    /// The rule was not tested, for this reason.
    case skipped(String)
    /// The store breaks the rule, which is known for this reason.
    case failedAsKnown(String, RuleViolation)
    /// The store keeps the rule, although it is listed as a known failure for this reason.
    case passedThoughKnown(String)
  }

  /// The rule.
  public let rule: Rule
  /// The outcome of the rule.
  public let outcome: Outcome
  /// A Boolean value that indicates whether the author knows the rule.
  ///
  /// A failure of an unknown rule is reported, but does not fail the run yet.
  public let isAcknowledged: Bool
  /// The duration of the rule.
  public let duration: Duration

  /// A Boolean value that indicates whether a store with this result does not conform.
  public var isFailure: Bool {
    guard isAcknowledged else { return false }
    return switch outcome {
    case .failed, .passedThoughKnown: true
    case .passed, .skipped, .failedAsKnown: false
    }
  }

  /// A Boolean value that indicates whether the rule was tested.
  public var wasTried: Bool {
    if case .skipped = outcome { return false }
    return true
  }

  /// A Boolean value that indicates whether the store keeps the rule.
  public var isKept: Bool {
    switch outcome {
    case .passed, .passedThoughKnown: true
    case .failed, .failedAsKnown, .skipped: false
    }
  }

  /// The outcome in one word.
  public var word: String {
    switch outcome {
    case .passed: isAcknowledged ? "passed" : "passed, not yet acknowledged"
    case .failed: isAcknowledged ? "failed" : "failed, not yet acknowledged"
    case .skipped: "skipped"
    case .failedAsKnown: "known failure"
    case .passedThoughKnown: "passed though known to fail"
    }
  }

  /// The reason beside the word, or `nil` if there is none.
  public var reason: String? {
    switch outcome {
    case .skipped(let reason), .failedAsKnown(let reason, _), .passedThoughKnown(let reason):
      reason
    case .passed, .failed: nil
    }
  }

  /// The violation, or `nil` if the store keeps the rule.
  public var violation: RuleViolation? {
    switch outcome {
    case .failed(let violation), .failedAsKnown(_, let violation): violation
    case .passed, .skipped, .passedThoughKnown: nil
    }
  }
}
