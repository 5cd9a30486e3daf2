import Foundation
import Testing

@testable import StoreConformance

@Suite("The contract page")
struct ContractPageTests {
  private static let begin = "<!-- The rules; Scripts/check-suite --write writes them anew. -->\n"
  private static let end = "<!-- End of the rules. -->\n"

  private var file: URL {
    URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent().appending(path: "Documentation/StoreContract.md")
  }

  // Scripts/check-suite --write sets the variable to update the page.
  @Test func `lists the rules of the suite`() throws {
    let page = try String(contentsOf: file, encoding: .utf8)
    let parts = page.components(separatedBy: Self.begin)
    try #require(parts.count == 2)
    let rest = parts[1].components(separatedBy: Self.end)
    try #require(rest.count == 2)
    let rules = "\n" + ContractPage.markdown + "\n"
    if ProcessInfo.processInfo.environment["OSD_WRITE_CONTRACT"] != nil {
      let new = parts[0] + Self.begin + rules + Self.end + rest[1]
      try new.write(to: file, atomically: true, encoding: .utf8)
      return
    }
    let agrees = rest[0] == rules
    #expect(agrees, "the page differs from the rules; run Scripts/check-suite --write")
  }

  @Test func `has a reason for each rule`() {
    for rule in Rule.all { #expect(!rule.reason.isEmpty, "\(rule.id)") }
    let sentences = Set(MachineSentence.all.map(\.id))
    for id in sentences { #expect(Reasons.reason(for: id) != nil, "\(id)") }
    let known = Set(Rule.all.map(\.id))
    #expect(known.isDisjoint(with: sentences))
    #expect(known.isSuperset(of: MachineSentence.all.map(\.rule)))
    #expect(sentences.count == MachineSentence.all.count)
    #expect(Reasons.numbers.subtracting(known.union(sentences)).isEmpty)
  }

  @Test func `numbers untested rules in the same way`() {
    let tested = Set(Rule.all.map(\.id))
    for rule in UntestedRule.all {
      #expect(!tested.contains(rule.id) && rule.id.wholeMatch(of: /[A-Z]+-[0-9]{3}/) != nil)
      #expect(Chapter.all.contains { $0.id == Chapter.of(rule.id).id })
      #expect(!rule.obstacle.isEmpty)
    }
    #expect(Set(UntestedRule.all.map(\.id)).count == UntestedRule.all.count)
  }
}
