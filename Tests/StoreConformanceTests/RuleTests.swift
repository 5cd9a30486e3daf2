import OpenSwiftData
import Testing

@testable import StoreConformance

@Suite struct RuleTests {
  @Test func `rules have unique identifiers`() {
    let numbers = Rule.all.map(\.id)
    #expect(Set(numbers).count == numbers.count)
    #expect(numbers.allSatisfy { $0.wholeMatch(of: /[A-Z]+-[0-9]{3}/) != nil })
    #expect(numbers.count >= 180)
  }

  @Test func `each rule has a chapter`() {
    let known = Set(Chapter.all.map(\.id))
    #expect(Rule.all.allSatisfy { known.contains($0.chapter.id) })
    #expect(Set(Chapter.all.map(\.id)).count == Chapter.all.count)
  }

  @Test func `rules are selected by a store's capabilities`() {
    let nothing = Set(Rule.all(for: StoreCapabilities()).map(\.id))
    #expect(nothing.isSuperset(of: ["QUERY-005", "SORT-002", "UNIQUE-090", "VERSION-090"]))
    #expect(nothing.isDisjoint(with: ["QUERY-016", "UNIQUE-001", "LIFE-009", "BATCH-001"]))
    let much = Rule.all(
      for: StoreCapabilities(
        filtering: .native,
        sorting: .native,
        uniqueness: .native,
        batchDelete: .native,
        history: .native,
        migration: .native,
        concurrentProcesses: .native,
        versions: .native,
        durability: .full
      )
    )
    let lacking = Rule.all.filter { rule in
      rule.needs.contains { if case .lacking = $0 { true } else { false } }
    }
    #expect(much.count == Rule.all.count - lacking.count)
    #expect(lacking.count >= 7)
  }

  @Test func `a rule has the tier that its failure breaks`() throws {
    let tiers = Dictionary(uniqueKeysWithValues: Rule.all.map { ($0.id, $0.tier) })
    #expect(tiers["LIFE-001"] == .core && tiers["LIFE-009"] == .durability)
    #expect(tiers["QUERY-001"] == .core && tiers["QUERY-016"] == .query)
    #expect(tiers["REL-001"] == .relationships && tiers["VERSION-008"] == .concurrency)
    #expect(tiers["MIGR-090"] == .migration && tiers["BATCH-001"] == .batch)
  }

  @Test func `a violation contains the rule and the expected result`() throws {
    let rule = try #require(Rule.all.first { $0.id == "WINDOW-004" })
    let saboteur = try #require(Saboteur.all.first { $0.rule == "WINDOW-004" })
    let violation = try #require(throws: RuleViolation.self) { try saboteur.check(rule) }
    #expect(violation.rule?.id == "WINDOW-004")
    #expect(violation.description.contains(rule.sentence))
    #expect(violation.description.contains("expected:"))
  }
}
