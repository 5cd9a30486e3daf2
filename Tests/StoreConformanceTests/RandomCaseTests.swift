import OpenSwiftData
import Testing

@testable import StoreConformance

@Suite struct RandomCaseTests {
  private static let lossy = AlteredFixture(Fixtures.Memory()) {
    .saving { changes in changes.with { _ = $0.deleted.popLast() } }
  }

  private func random(_ number: Int) throws -> Rule {
    try #require(Rule.all.first { $0.id == "RANDOM-00\(number)" })
  }

  @Test func `a failure reports its seed and a small case to paste`() throws {
    let violation = try #require(throws: RuleViolation.self) {
      try random(1).check(Self.lossy)
    }
    #expect(violation.subject.contains("seed 1, step"))
    #expect(violation.subject.contains("try RandomCase(["))
    // One inserted row and one deletion: two steps.
    #expect(violation.subject.split(separator: "DifferentialRow(").count == 2)
    #expect(violation.subject.split(separator: ".save(").count == 3)
    #expect(!violation.subject.contains(".erase"))
  }

  @Test func `a pasted case fails only on the faulty store`() throws {
    let pasted = RandomCase([
      .save(inserted: [DifferentialRow(1, "Person", ["name": .string("a")])]),
      .refused(updated: [DifferentialRow(1, "Person", ["age": .integer(1)])]), .reopen,
      .save(deleted: [1]), .erase,
    ])
    let violation = try #require(throws: RuleViolation.self) { try pasted.check(Self.lossy) }
    #expect(violation.subject.hasPrefix("step 4"))
    #expect(throws: Never.self) { try pasted.check(Fixtures.Memory()) }
  }

  @Test func `references name rows by number, also in cycles`() throws {
    let first = StoreValue.identifier(DifferentialRow.identifier(1, "Person"))
    let second = StoreValue.identifier(DifferentialRow.identifier(2, "Person"))
    let cycle = RandomCase([
      .save(inserted: [
        DifferentialRow(1, "Person", ["mentor": second]),
        DifferentialRow(2, "Person", ["mentor": first]),
      ]), .save(updated: [DifferentialRow(2, "Person", ["mentor": second])]),
    ])
    #expect(throws: Never.self) { try cycle.check(Fixtures.Memory()) }
  }

  @Test func `shrinking keeps only what the failure needs`() {
    let steps: [RandomCase.Step] = (1...20).map { number in
      .save(inserted: [DifferentialRow(number, "Person", ["age": .integer(number)])])
    }
    let smallest = RandomCase(steps + [.reopen]).shrunk { candidate in
      candidate.steps.contains {
        guard case .save(let inserted, _, _) = $0 else { return false }
        return inserted.contains { $0.number == 13 }
      }
    }
    #expect(smallest == RandomCase([.save(inserted: [DifferentialRow(13, "Person")])]))
  }

  @Test func `regression seeds are run, and the seed of a run changes all others`() throws {
    let seeds = try RegressionSeeds("RANDOM-001 77 # lost a deletion")
    let settings = ConformanceSettings(seed: 5, regressions: seeds)
    let run = ConformanceRun(Self.lossy, settings: settings)
    let violation = try #require(throws: RuleViolation.self) { try run.check("RANDOM-001") }
    #expect(violation.subject.contains("seed 77,"))
    let other = try #require(throws: RuleViolation.self) { try run.check("RANDOM-002") }
    #expect(other.subject.contains("seed \(2 + 5 * 1_000_003),"))
  }
}
