import Foundation
import StoreConformance
import StoreProtocol
import Testing

@testable import ArchiveStore

/// Creates archives in separate folders, and makes their steps fail.
struct ArchiveFixture: StoreFixture {
  let hooks: Set<FixtureHook> = [.secondHandle, .faults]
  /// Whether the file is cut and written again, as `Data.write(to:)` does by default.
  var isCareless = false

  func makeLocation() throws -> StoreFolder { try StoreFolder() }

  func open(_ location: StoreFolder, schema: Schema?) throws -> ArchiveStore {
    var configuration = ArchiveConfiguration(
      schema: schema,
      fileURL: location.folder.appending(path: "a.json")
    )
    configuration.beforeStep = { try location.steps.next() }
    if isCareless {
      configuration.write = { data, configuration in
        try configuration.beforeStep()
        try Data().write(to: configuration.fileURL)
        try configuration.beforeStep()
        try data.write(to: configuration.fileURL)
      }
    }
    return try ArchiveStore(configuration, migrationPlan: nil)
  }

  func destroy(_ location: StoreFolder) throws { try location.remove() }

  func run(_ fault: StoreFault, at step: Int, in location: StoreFolder, _ body: () -> Void) -> Bool
  {
    location.steps.run(fault, at: step, body)
  }
}

@Suite struct `An archive keeps the store contract` {
  static let run = ConformanceRun(ArchiveFixture())

  @Test(arguments: try Self.run.rules)
  func keeps(_ rule: Rule) throws { try Self.run.check(rule) }

  @Test func `claims core, query, relationships, concurrency and durability`() throws {
    let capabilities = try Self.run.capabilities
    let claimed = Tier.allCases.filter { $0.reasonForLeavingOut(capabilities) == nil }
    #expect(claimed == [.core, .query, .relationships, .concurrency, .durability])
  }
}

@Suite struct `An unsafe archive store` {
  @Test func `violates only rules of durability`() throws {
    let report = try ConformanceRun(ArchiveFixture(isCareless: true)).report { rule in
      rule.tier == .durability || rule.tier == .core
    }
    let tiers = Set(report.failures.map(\.rule.tier))
    #expect(tiers == [.durability], "\(report.text)")
    #expect(report.failures.map(\.rule.id).contains("DURA-002"), "\(report.text)")
  }
}
