import OpenSwiftData
import StoreConformance
import Testing

/// Runs random queries on random rows; a failure prints a test to paste here.
///
/// `Scripts/fuzz-queries` runs many more.
@Suite struct `Every store returns the results of the evaluator` {
  private func ask(_ fixture: some StoreFixture, _ seed: UInt64) throws {
    let isLong = DifferentialFixtures.questions > 1_000
    let report = try DifferentialRun(fixture, seed: seed).report(
      questions: DifferentialFixtures.questions,
      findings: isLong ? 20 : 3
    )
    if isLong { print("\(type(of: fixture)), seed \(seed): \(report)") }
    guard report.findings.isEmpty else {
      Issue.record("\(report)")
      return
    }
    #expect(report.asked == DifferentialFixtures.questions)
    #expect(report.telling * 3 > report.asked, "most queries match all rows or none")
  }

  @Test(arguments: DifferentialFixtures.seeds)
  func `MemoryStore`(seed: UInt64) throws { try ask(DifferentialFixtures.Memory(), seed) }

  @Test(arguments: DifferentialFixtures.seeds)
  func `JSONFileStore`(seed: UInt64) throws { try ask(DifferentialFixtures.JSONFile(), seed) }

  @Test(arguments: DifferentialFixtures.seeds)
  func `SQLiteStore in a file`(seed: UInt64) throws {
    try ask(DifferentialFixtures.SQLiteFile(), seed)
  }

  @Test(arguments: DifferentialFixtures.seeds)
  func `SQLiteStore in memory`(seed: UInt64) throws {
    try ask(DifferentialFixtures.SQLiteInMemory(), seed)
  }
}
