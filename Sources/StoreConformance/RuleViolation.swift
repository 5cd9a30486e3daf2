/// A violation of a rule by a store.
public struct RuleViolation: Error, Sendable {
  /// The rule, or `nil` until the rule's check has ended.
  public private(set) var rule: Rule?
  /// The subject of the check.
  public let subject: String
  /// The result that the contract requires.
  public let expected: String
  /// The actual result.
  public let found: String
  /// The last requests with their results, the oldest first; empty if the subject is a whole case.
  public private(set) var requests: [String] = []
  private let isWholeCase: Bool
  /// Whether the check never returned; its thread still runs.
  let isWithoutEnd: Bool

  /// Creates a violation.
  ///
  /// The subject of a whole case, such as the smallest case of a random rule, is sufficient to
  /// reproduce it.
  init(
    _ subject: String,
    expected: String,
    found: String,
    isWholeCase: Bool = false,
    isWithoutEnd: Bool = false
  ) {
    self.isWholeCase = isWholeCase
    self.isWithoutEnd = isWithoutEnd
    self.subject = Self.legible(subject)
    self.expected = Self.legible(expected)
    self.found = Self.legible(found)
  }

  /// Removes the names of modules from printed values, which do not help the reader.
  private static func legible(_ text: String) -> String {
    text.replacing("StoreProtocol.", with: "").replacing("StoreValue.", with: ".")
  }

  /// Returns a violation as it is, and any other error as a violation.
  static func wrapping(_ error: any Error, as subject: String) -> RuleViolation {
    error as? RuleViolation ?? RuleViolation(subject, expected: "no error", found: "\(error)")
  }

  /// Returns the violation with a location before the subject.
  func within(_ location: String) -> RuleViolation {
    RuleViolation(
      "\(location): \(subject)",
      expected: expected,
      found: found,
      isWholeCase: isWholeCase,
      isWithoutEnd: isWithoutEnd
    )
  }

  func after(_ requests: [String]) -> RuleViolation {
    var violation = self
    if !isWholeCase { violation.requests = requests }
    return violation
  }

  func of(_ rule: Rule, after requests: [String] = []) -> RuleViolation {
    var violation = after(requests)
    violation.rule = rule
    return violation
  }
}

extension RuleViolation: CustomStringConvertible {
  /// The rule and its reason, the expected and the actual result, and the preceding requests.
  public var description: String {
    let head = rule.map { "\($0)\n  why:      \($0.reason)\n" } ?? ""
    return head + details
  }

  /// The description without the rule.
  var details: String {
    let lines = ["  \(subject)", "  expected: \(expected)", "  found:    \(found)"]
    return (lines + requests.map { "  sent:     \($0)" }).joined(separator: "\n")
  }
}
