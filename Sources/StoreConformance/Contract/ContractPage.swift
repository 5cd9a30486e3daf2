/// The contract as text, chapter by chapter, for `Documentation/StoreContract.md`.
public enum ContractPage {
  /// The tables of all rules, tested or not, in Markdown.
  public static var markdown: String {
    Chapter.all.map(section).filter { !$0.isEmpty }.joined(separator: "\n")
  }

  private static func section(of chapter: Chapter) -> String {
    let tested = Rule.all.filter { $0.chapter.id == chapter.id }.map { rule in
      (id: rule.id, cells: [rule.level.rawValue, rule.sentence, rule.reason, state(of: rule)])
    }
    let untested = UntestedRule.all.filter { Chapter.of($0.id).id == chapter.id }.map { rule in
      (
        id: rule.id,
        cells: [rule.level.rawValue, rule.sentence, rule.reason, "untested: \(rule.obstacle)"]
      )
    }
    let rows = (tested + untested + machine(of: chapter)).sorted { $0.id < $1.id }
    guard !rows.isEmpty else { return "" }
    let head =
      "### \(chapter.id): \(chapter.title)\n\n| Rule | | | Why | State |\n|---|---|---|---|---|\n"
    return head
      + rows.map { row in
        "| " + ([row.id] + row.cells).joined(separator: " | ") + " |\n"
      }.joined()
  }

  /// Returns the rules that others test.
  private static func machine(of chapter: Chapter) -> [(id: String, cells: [String])] {
    MachineSentence.all.filter { Chapter.of($0.id).id == chapter.id }.map { sentence in
      let reason = Reasons.reason(for: sentence.id) ?? ""
      return (sentence.id, ["MUST", sentence.text, reason, "tested by \(sentence.rule)"])
    }
  }

  /// Returns the conditions under which a rule is tested.
  private static func state(of rule: Rule) -> String {
    var words = ["tested"]
    if rule.tier != rule.chapter.tier { words.append("tier \(rule.tier.rawValue)") }
    let needs = rule.needs.map(\.name)
    if !needs.isEmpty { words.append("needs \(needs.joined(separator: " and "))") }
    if rule.hooks.contains(.secondHandle) { words.append("and a fixture with a second handle") }
    if rule.hooks.contains(.faults) { words.append("and a fixture with faults") }
    if rule.hooks.contains(.processes) { words.append("and a fixture with processes") }
    if rule.hooks.contains(.replacement) { words.append("and a fixture with replacement") }
    return words.joined(separator: ", ").replacing(", and a", with: " and a")
  }
}
