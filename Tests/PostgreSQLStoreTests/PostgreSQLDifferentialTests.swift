import Foundation
import PostgreSQLTestSupport
import StoreConformance
import StoreTestSupport
import Testing

/// Random queries of random rows, compared with the evaluator's results.
///
/// `Scripts/fuzz-queries` runs many more.
@Suite(
  .enabled(
    if: PrivateCluster.isAvailable || PrivateCluster.isRequired,
    "no PostgreSQL server is installed"
  )
)
struct `PostgreSQLStore returns the results of the evaluator` {
  private static func number(_ name: String) -> Int? {
    ProcessInfo.processInfo.environment[name].flatMap { Int($0) }
  }

  private static let questions = number("OSD_QUERIES") ?? 250

  @Test(arguments: number("OSD_SEED").map { [UInt64($0)] } ?? Sweep.part([1, 2], of: 1))
  func `PostgreSQLStore`(seed: UInt64) throws {
    try compare(SchemaFixture(copies: seed % 2 == 0), seed)
  }

  /// `Scripts/test-cluster` runs it.
  @Test(.enabled(if: SchemaFixture.clusterURL != nil, "COORDINATOR_URL is not set"))
  func `PostgreSQLStore on a cluster`() throws {
    try compare(SchemaFixture(server: .cluster), UInt64(Self.number("OSD_SEED") ?? 1))
  }

  private func compare(_ fixture: SchemaFixture, _ seed: UInt64) throws {
    let isLong = Self.questions > 1_000
    let report = try DifferentialRun(fixture, seed: seed).report(
      questions: Self.questions,
      findings: isLong ? 20 : 3
    )
    if isLong { print("PostgreSQLStore, seed \(seed): \(report)") }
    #expect(report.findings.isEmpty, "\(report)")
    #expect(report.asked == Self.questions || !report.findings.isEmpty)
  }
}
