/// The reasons of the rules, by their numbers.
enum Reasons {
  private static let all = core.merging(asking) { $1 }.merging(others) { $1 }

  /// Returns the reason of a rule, or `nil` if there is none.
  static func reason(for rule: String) -> String? {
    all[rule] ?? families.first { rule.hasPrefix($0.key) }?.value
  }

  /// The numbers of the rules with a reason of their own.
  static var numbers: Set<String> { Set(all.keys) }
}

extension Rule {
  /// The reason of the rule in one sentence.
  public var reason: String { Reasons.reason(for: id) ?? "" }
}
