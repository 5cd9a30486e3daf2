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

  init(_ subject: String, expected: String, found: String) {
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
    RuleViolation("\(place): \(subject)", expected: expected, found: found)
  }

  func of(_ rule: Rule) -> RuleViolation {
    var violation = self
    violation.rule = rule
    return violation
  }
}

extension RuleViolation: CustomStringConvertible {
  /// The rule with what was expected and what was found.
  public var description: String {
    let head = rule.map { "\($0)\n  " } ?? ""
    return "\(head)\(subject)\n  expected: \(expected)\n  found:    \(found)"
  }
}
