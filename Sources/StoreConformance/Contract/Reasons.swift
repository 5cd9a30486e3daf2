/// Why the rules of the contract stand there, by their numbers.
enum Reasons {
  private static let all = core.merging(asking) { $1 }.merging(others) { $1 }

  /// The reason of a rule, nil where nobody wrote one down.
  static func reason(for rule: String) -> String? {
    all[rule] ?? families.first { rule.hasPrefix($0.key) }?.value
  }

  /// The numbers that have a reason of their own.
  static var numbers: Set<String> { Set(all.keys) }
}

extension Rule {
  /// Why the rule stands in the contract, in one sentence.
  public var reason: String { Reasons.reason(for: id) ?? "" }
}
