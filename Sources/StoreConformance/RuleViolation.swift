/// How a store breaks a rule.
public struct RuleViolation: Error, Sendable {
  /// The rule, nil until the rule's check is through.
  public private(set) var rule: Rule?
  /// What was looked at.
  public let subject: String
  /// What the contract says.
  public let expected: String
  /// What the store did.
  public let found: String
  /// The last requests with their results, the oldest first; empty where the subject is a whole case.
  public private(set) var requests: [String] = []
  private let isWholeCase: Bool

  /// Creates a violation; of a whole case the subject says all that is needed to see it again, as the
  /// smallest case of a random rule does.
  init(_ subject: String, expected: String, found: String, isWholeCase: Bool = false) {
    self.isWholeCase = isWholeCase
    self.subject = Self.legible(subject)
    self.expected = Self.legible(expected)
    self.found = Self.legible(found)
  }

  /// Values print with the names of their modules, which help nobody here.
  private static func legible(_ text: String) -> String {
    text.replacing("StoreProtocol.", with: "").replacing("StoreValue.", with: ".")
  }

  /// The same with a place before what was looked at.
  func within(_ place: String) -> RuleViolation {
    RuleViolation(
      "\(place): \(subject)",
      expected: expected,
      found: found,
      isWholeCase: isWholeCase
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
  /// The rule and its reason, what was expected and found, and the requests before.
  public var description: String {
    let head = rule.map { "\($0)\n  why:      \($0.reason)\n" } ?? ""
    return head + details
  }

  /// The same without the rule.
  var details: String {
    let lines = ["  \(subject)", "  expected: \(expected)", "  found:    \(found)"]
    return (lines + requests.map { "  sent:     \($0)" }).joined(separator: "\n")
  }
}
