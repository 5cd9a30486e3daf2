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

  /// The report as plain text.
  ///
  /// It contains the first step, common causes of failures, each failure with all details, the
  /// skipped rules with reasons, and the tiers.
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

  /// Returns the page for a store that supports too little for any rule.
  private func beginning(_ start: RuleViolation) -> String {
    """
    \(heading)

    No rule can be tested yet. Start with this step.
    \(start.details)

    Fix this step, then run the suite again. After that, work on the chapters LIFE, IDENT and VALUE, then \
    ATOM, REL and DELETE. Declare a feature in StoreCapabilities when you have implemented it. Some stores \
    cannot conform: see "Stores that cannot conform" in StoreContract.md.

    """
  }

  /// The causes that several rules share, reported once before them.
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

  /// The numbers of the skipped rules by reason, in the order of the first occurrences.
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

  /// The report as a Markdown page: the tiers, the declarations, and a table of the rules.
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
    // Scalars are compared, because a bar with a combining mark also ends a cell.
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
  /// The common part of failures with one cause: an error's text or the missing element, without
  /// the numbers that distinguish rows.
  fileprivate var cause: String {
    let text =
      found.hasPrefix("the error") || expected == "no error"
      ? "\(found) instead of \(expected)" : "\(subject): \(found) instead of \(expected)"
    return text.replacing(/[0-9]+/, with: "#")
  }
}
