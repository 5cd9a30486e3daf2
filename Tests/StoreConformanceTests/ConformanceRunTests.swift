import Foundation
import OpenSwiftData
import Testing

@testable import StoreConformance

/// Runs over four rules: one passes, one fails, and two need a capability or a hook that is missing.
@Suite struct ConformanceRunTests {
  private static let rules: [Rule] = [
    Rule("LIFE-001", "A new store is empty.") { bench in
      try expect("the rows", bench.names(of: "Person"), equals: [])
    },
    Rule("ATOM-001", "A thing that is <never> \"so\".") { _ in
      throw RuleViolation("the thing", expected: "this & that", found: "\u{1}")
    },
    Rule("LIFE-009", "What was saved is kept.", needs: [.durability]) { _ in },
    Rule("CONC-010", "Two handles agree.", hooks: [.faults]) { _ in },
  ]

  private func run(
    _ rules: [Rule] = Self.rules,
    knownFailures: [String: String] = [:],
    acknowledged: Int = 1
  ) -> ConformanceRun {
    ConformanceRun(
      Fixtures.Memory(),
      rules: rules,
      knownFailures: knownFailures,
      acknowledged: acknowledged
    )
  }

  @Test func `checks the rules of claimed capabilities and skips the others with a reason`() throws
  {
    let report = try run().report()
    #expect(report.results.map(\.word) == ["passed", "failed", "skipped", "skipped"])
    #expect(report.results[2].reason == "the store declares the durability none")
    #expect(report.results[3].reason == "the fixture does not inject faults")
    #expect(report.failures.map(\.rule.id) == ["ATOM-001"])
    #expect(!report.isConforming)
    #expect(try run().rules.map(\.id) == ["LIFE-001", "ATOM-001"])
  }

  @Test func `accepts known failures, and fails if they pass`() throws {
    let run = run(knownFailures: ["ATOM-001": "not done yet", "LIFE-001": "out of date"])
    let report = try run.report()
    #expect(report.failures.map(\.rule.id) == ["LIFE-001"])
    #expect(
      report.results.map(\.word).prefix(2) == ["passed though known to fail", "known failure"]
    )
    #expect(throws: Never.self) { try run.check(Self.rules[1]) }
    let violation = try #require(throws: RuleViolation.self) { try run.check(Self.rules[0]) }
    #expect(violation.description.contains("out of date"))
    #expect(report.text.contains("not done yet"))
  }

  @Test func `reports rules that are not yet acknowledged, and does not fail because of them`()
    throws
  {
    let later = Rule("ATOM-002", "A later thing.", since: 2) { _ in
      throw RuleViolation("a later thing", expected: "this", found: "that")
    }
    let before = try run([Self.rules[0], later]).report()
    #expect(before.isConforming)
    #expect(before.results.last?.word == "failed, not yet acknowledged")
    #expect(before.text.contains("failed, not yet acknowledged: ATOM-002"))
    #expect(try run([Self.rules[0], later]).rules.map(\.id) == ["LIFE-001"])
    #expect(try !run([Self.rules[0], later], acknowledged: 2).report().isConforming)
  }

  @Test func `reports for each tier whether it passed, failed or is not claimed`() throws {
    let report = try run().report()
    #expect(report.badges.count == Tier.allCases.count)
    #expect(report.badges[0] == "Core: failed, 1 of 2 rules (ATOM-001)")
    #expect(report.badges.last == "Durability: not claimed, the store declares the durability none")
    let kept = try run([Self.rules[0]]).report()
    #expect(kept.badges[0] == "Core: passed, 1 rules")
    #expect(kept.badges[2] == "Relationships: not tested, the suite has no rule of this tier")
  }

  @Test func `reports how to run one rule alone`() throws {
    let report = try run().report()
    let line = report.reproduction(of: Self.rules[1])
    #expect(line.contains("check(\"ATOM-001\")") && line.contains("seed: 0"))
    #expect(report.text.contains(line))
    #expect(throws: RuleViolation.self) { try run().check("ATOM-001") }
    #expect(throws: RuleViolation.self) { try run().check("NONE-001") }
    #expect(throws: Never.self) { try run().check("LIFE-001") }
  }

  @Test func `reports as JSON`() throws {
    let text = try run().report().json()
    let object = try JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any]
    let document = try #require(object)
    #expect(document["conforms"] as? Bool == false)
    #expect((document["capabilities"] as? [String: String])?["durability"] == "none")
    let rules = try #require(document["rules"] as? [[String: Any]])
    #expect(rules.map { $0["outcome"] as? String } == ["passed", "failed", "skipped", "skipped"])
    #expect(rules[1]["expected"] as? String == "this & that")
    #expect(rules[2]["reason"] as? String == "the store declares the durability none")
  }

  @Test func `reports as JUnit XML`() throws {
    let text = try run().report().junit
    #expect(text.contains("tests=\"2\" failures=\"1\" skipped=\"0\""))
    #expect(text.contains("A thing that is &lt;never&gt; &quot;so&quot;."))
    #expect(text.contains("this &amp; that") && text.contains("\\u{1}"))
    #expect(text.contains("<skipped message=\"the store declares the durability none\"/>"))
    #expect(text.split(separator: "<testcase").count == 5)
  }

  @Test func `reports as Markdown`() throws {
    let text = try run().report().markdown
    #expect(text.contains("| Core | failed, 1 of 2 rules (ATOM-001) |"))
    #expect(text.contains("| LIFE-001 | MUST A new store is empty. | passed |"))
    #expect(text.contains("| durability | none |"))
  }

  @Test func `checks only the selected rules`() throws {
    let report = try run().report { $0.id == "LIFE-001" }
    #expect(report.isConforming)
    #expect(report.results[1].reason == "the run excludes the rule")
  }

  @Test func `reads regression seeds`() throws {
    let seeds = try RegressionSeeds("# why\nRANDOM-301 12 # a list\n\nRANDOM-301 7\nRANDOM-401 1\n")
    #expect(seeds["RANDOM-301"] == [12, 7] && seeds["RANDOM-401"] == [1] && seeds["X"] == [])
    let violation = try #require(throws: RuleViolation.self) {
      try RegressionSeeds("\nRANDOM-301 x")
    }
    #expect(violation.description.contains("line 2"))
  }
}
