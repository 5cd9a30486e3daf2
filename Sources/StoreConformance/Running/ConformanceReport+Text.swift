extension ConformanceReport {
  private var heading: String {
    "\(storeName), store contract \(ConformanceRun.suiteVersion), seed \(settings.seed), "
      + "budget \(settings.budget.rawValue)"
  }

  private var totals: String {
    let words = Dictionary(grouping: results, by: \.word).mapValues(\.count)
    return words.sorted { ($1.value, $0.key) < ($0.value, $1.key) }
      .map { "\($0.value) \($0.key)" }.joined(separator: ", ")
  }

  /// The report as plain text: where to begin, causes of many failures, each failure with all that is
  /// known, then what was skipped and why, then the tiers.
  public var text: String {
    if let start { return beginning(start) }
    var lines = [heading, ""] + commonCauses
    for result in results where result.violation != nil || result.isFailure {
      lines.append("\(result.word): \(result.rule)")
      lines.append("  why:      \(result.rule.reason)")
      if let reason = result.reason { lines.append("  known:    \(reason)") }
      if let violation = result.violation { lines.append(violation.details) }
      lines.append("  alone:    \(reproduction(of: result.rule))\n")
    }
    for (reason, rules) in skippedRules {
      lines.append("skipped: \(reason)\n  \(rules.joined(separator: ", "))")
    }
    lines += ["", "What the store declares"]
    lines += declarations.map { "  \($0.name): \($0.word)" }
    lines += ["", "Tiers"] + badges.map { "  \($0)" }
    return (lines + ["", totals]).joined(separator: "\n") + "\n"
  }

  /// The page for a store that does too little for any rule.
  private func beginning(_ start: RuleViolation) -> String {
    """
    \(heading)

    Begin here: no rule can tell anything yet.
    \(start.details)

    Make this one step work, then run the suite again. A good order after it: chapters LIFE, IDENT and \
    VALUE, then ATOM, REL and DELETE. Declare nothing in StoreCapabilities before you build it. Some stores \
    cannot conform: see "Stores that cannot conform" in StoreContract.md.

    """
  }

  /// What made several rules fail in the same words, told once before them.
  private var commonCauses: [String] {
    var rules: [String: [String]] = [:]
    for result in failures {
      guard let violation = result.violation else { continue }
      rules[violation.cause, default: []].append(result.rule.id)
    }
    let common = rules.filter { $0.value.count >= 4 }.sorted {
      ($1.value.count, $0.key) < ($0.value.count, $1.key)
    }
    return common.flatMap { cause, rules in
      ["one cause of \(rules.count) failures: \(cause)", "  \(rules.joined(separator: ", "))", ""]
    }
  }

  /// The numbers of the skipped rules by the reasons, in the order in which these come up.
  private var skippedRules: [(reason: String, rules: [String])] {
    var lists: [(reason: String, rules: [String])] = []
    for result in results {
      guard case .skipped(let reason) = result.outcome else { continue }
      if let index = lists.firstIndex(where: { $0.reason == reason }) {
        lists[index].rules.append(result.rule.id)
      } else {
        lists.append((reason, [result.rule.id]))
      }
    }
    return lists
  }

  /// The report as a page: the tiers, the declarations, and a table of the rules.
  public var markdown: String {
    if let start { return beginning(start) }
    var lines = ["# \(heading)", "", totals, "", "| Tier | |", "|---|---|"]
    lines += badges.map { badge in
      let parts = badge.split(separator: ":", maxSplits: 1)
      return "| \(parts[0]) | \(Self.cell(String(parts[1]))) |"
    }
    lines += ["", "| The store declares | |", "|---|---|"]
    lines += declarations.map { "| \($0.name) | \(Self.cell($0.word)) |" }
    lines += ["", "| Rule | | | |", "|---|---|---|---|"]
    lines += results.map { result in
      let found = result.violation.map { "expected \($0.expected), found \($0.found)" }
      let remark = [result.reason, found].compactMap(\.self).joined(separator: ": ")
      let cells = [
        result.rule.id, result.rule.level.rawValue + " " + result.rule.sentence, result.word,
        remark,
      ]
      return "| " + cells.map(Self.cell).joined(separator: " | ") + " |"
    }
    return lines.joined(separator: "\n") + "\n"
  }

  private static func cell(_ text: String) -> String {
    // By scalars: a bar with a combining mark after it ends a cell as well.
    text.drop { $0 == " " }.unicodeScalars.reduce(into: "") { cell, scalar in
      switch scalar {
      case "|": cell += "\\|"
      case "\n", "\r": cell += " "
      default: cell.unicodeScalars.append(scalar)
      }
    }
  }
}

extension RuleViolation {
  /// What failures of one cause have in common: an error's words or the thing that is missing, without
  /// the numbers that tell rows apart.
  fileprivate var cause: String {
    let text =
      found.hasPrefix("the error") || expected == "no error"
      ? "\(found) instead of \(expected)" : "\(subject): \(found) instead of \(expected)"
    return text.replacing(/[0-9]+/, with: "#")
  }
}
