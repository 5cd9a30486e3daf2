import OpenSwiftData
import StoreTestSupport
import Testing

@testable import StoreConformance

/// A run with a name for test reports.
struct NamedRun: CustomTestStringConvertible, Sendable {
  let testDescription: String
  let run: ConformanceRun

  init(_ name: String, _ run: ConformanceRun) {
    testDescription = name
    self.run = run
  }

  /// All built-in stores in a wrapper that forwards all calls.
  ///
  /// The tests of each store run the rules without the wrapper.
  static let all = [
    NamedRun(
      "MemoryStore, wrapped",
      ConformanceRun(AlteredFixture(Fixtures.Memory()), settings: .ofRun)
    ),
    NamedRun(
      "JSONFileStore, wrapped",
      ConformanceRun(AlteredFixture(Fixtures.JSON()), settings: .ofRun)
    ),
    NamedRun(
      "JSONFileStore without journal, wrapped",
      ConformanceRun(AlteredFixture(Fixtures.JSON(usesJournal: false)), settings: .ofRun)
    ),
    NamedRun(
      "SQLiteStore, wrapped",
      ConformanceRun(AlteredFixture(Fixtures.SQLiteFile()), settings: .ofRun)
    ),
    NamedRun(
      "SQLiteStore in memory, wrapped",
      ConformanceRun(AlteredFixture(Fixtures.SQLiteInMemory()), settings: .ofRun)
    ),
  ]
}

@Suite struct `Every built-in store keeps all tiers that it claims` {
  @Test(arguments: Sweep.part(NamedRun.all, of: 1))
  func `rule by rule`(_ subject: NamedRun) throws {
    let report = try subject.run.report { $0.isFirstOfItsKind }
    let conforms = report.isConforming
    #expect(conforms, "\(report.text)")
    #expect(report.results.count == Rule.all.count)
  }

  @Test(arguments: NamedRun.all)
  func `and claims at least core, query, relationships and concurrency`(
    _ subject: NamedRun
  ) throws {
    let capabilities = try subject.run.capabilities
    let claimed = Tier.allCases.filter { $0.reasonForLeavingOut(capabilities) == nil }
    #expect(claimed.contains(.core) && claimed.contains(.query))
    #expect(claimed.contains(.relationships) && claimed.contains(.concurrency))
  }
}
