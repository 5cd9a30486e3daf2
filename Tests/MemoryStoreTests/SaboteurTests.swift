import StoreConformance
import Testing

@Suite struct `The suite catches saboteurs` {
  @Test(arguments: [
    (SaboteurConfiguration.Sabotage.ignoresOffset, "WINDOW-002"),
    (.losesLastChange, "ATOM-006"),
    (.reusesIdentifiers, "IDENT-004"),
    (.ignoresVersions, "VERSION-008"),
    (.ignoresVersions, "VERSION-010"),
  ])
  func `by the rule that speaks of it`(
    _ sabotage: SaboteurConfiguration.Sabotage,
    _ id: String
  ) throws {
    let rule = try #require(Rule.all.first { $0.id == id })
    let violation = try #require(throws: RuleViolation.self) {
      try rule.check(SaboteurFixture(sabotage: sabotage))
    }
    #expect(violation.rule?.id == id)
    #expect(violation.description.contains(rule.sentence))
  }

  // The random operations of the suite are those of one writer, who meets no other's version.
  @Test(arguments: SaboteurConfiguration.Sabotage.allCases.filter { $0 != .ignoresVersions })
  func `by random operations or queries`(_ sabotage: SaboteurConfiguration.Sabotage) {
    let fixture = SaboteurFixture(sabotage: sabotage)
    let broken = Rule.all.filter { rule in
      rule.id.hasPrefix("RANDOM") && (try? rule.check(fixture)) == nil
    }
    #expect(!broken.isEmpty)
  }

  @Test func `rules have numbers of their own`() {
    let numbers = Rule.all.map(\.id)
    #expect(Set(numbers).count == numbers.count)
    #expect(numbers.count >= 40)
  }

  @Test func `rules are chosen by what a store declares`() {
    let nothing = Rule.all(for: .init())
    let ids = Set(nothing.map(\.id))
    #expect(ids.contains("QUERY-005") && ids.contains("SORT-002"))
    #expect(!ids.contains("QUERY-010") && !ids.contains("UNIQUE-001") && !ids.contains("LIFE-009"))
    let much = Rule.all(
      for: .init(
        filtering: .native,
        sorting: .native,
        uniqueness: .native,
        history: .native,
        versions: .native,
        durability: .full
      )
    )
    #expect(much.count == Rule.all.count - 2)
  }
}
