import OpenSwiftData
import StoreTestSupport
import Testing

/// The objects that remain after a deletion, by the rules of the deleted and of the other end.
private typealias Table = [String: String]

/// `l1-r1` in a one-to-one relationship, `l1` deleted.
private let oneToOne: Table = [
  "cascade": "",
  "nullify": "r1()",
  "deny": "denied",
  "noAction": "r1()",
]

/// `l1` with `r1` and `r2`, `l1` deleted.
private let oneOfMany: Table = [
  "cascade": "",
  "nullify": "r1() r2()",
  "deny": "denied",
  "noAction": "r1() r2()",
]

/// `l1` with `r1` and `r2`, `r1` deleted: the rules of `r1` and of `l1`.
private let manyOfOne: Table = [
  "cascade/cascade": "",
  "cascade/nullify": "r2()",
  "cascade/deny": "denied",
  "cascade/noAction": "r2()",
  "nullify": "l1(r2) r2(l1)",
  "deny": "denied",
  "noAction": "l1(r2) r2(l1)",
]

/// `l1` with `r1` and `r2`, `l2` with `r1`, `l1` deleted: the rules of `l1` and of `r1`.
private let manyToMany: Table = [
  "cascade/cascade": "",
  "cascade/nullify": "l2()",
  "cascade/deny": "denied",
  "cascade/noAction": "l2()",
  "nullify": "l2(r1) r1(l2) r2()",
  "deny": "denied",
  "noAction": "l2(r1) r1(l2) r2()",
]

@Suite("Each pair of delete rules")
struct DeleteRulePairTests {
  @Test(arguments: RulePair.oneToOne, EveryStore.withTextKeys)
  func `applies in a one-to-one relationship`(pair: RulePair, store: EveryStore) throws {
    try check(pair, store, "l1-r1", "l1", oneToOne)
  }

  @Test(arguments: RulePair.oneToMany, EveryStore.withTextKeys)
  func `applies in a one-to-many relationship if the one is deleted`(
    pair: RulePair,
    store: EveryStore
  ) throws {
    try check(pair, store, "l1-r1 l1-r2", "l1", oneOfMany)
  }

  @Test(arguments: RulePair.oneToMany, EveryStore.withTextKeys)
  func `applies in a one-to-many relationship if one of the many is deleted`(
    pair: RulePair,
    store: EveryStore
  ) throws {
    try check(pair, store, "l1-r1 l1-r2", "r1", manyOfOne, turned: true)
  }

  @Test(arguments: RulePair.manyToMany, EveryStore.withTextKeys)
  func `applies in a many-to-many relationship`(pair: RulePair, store: EveryStore) throws {
    try check(pair, store, "l1-r1 l1-r2 l2-r1", "l1", manyToMany)
  }

  private func check(
    _ pair: RulePair,
    _ store: EveryStore,
    _ links: String,
    _ victim: String,
    _ table: Table,
    turned: Bool = false
  ) throws {
    let rules = pair.testDescription.split(separator: "/").map(String.init)
    let own = turned ? rules[1] : rules[0]
    let other = turned ? rules[0] : rules[1]
    for ends in OtherEnds.allCases {
      // Deleting a new object unregisters it, even if its own rule denies the deletion.
      let rule = other == "deny" && ends == .unsaved ? "noAction" : other
      let expected = try #require(table["\(own)/\(rule)"] ?? table[own])
      let outcome = try pair.outcome(store, links, victim, ends)
      #expect(outcome == expected, "\(own)/\(other), the other ends \(ends)")
    }
  }
}
