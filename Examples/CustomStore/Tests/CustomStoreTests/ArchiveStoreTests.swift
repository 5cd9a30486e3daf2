import ArchiveStore
import Foundation
import StoreConformance
import StoreProtocol
import Testing

/// Makes archives in folders of their own, and makes steps of theirs fail.
struct ArchiveFixture: StoreFixture {
  let hooks: Set<FixtureHook> = [.secondHandle, .faults]

  func makePlace() throws -> Place { try Place() }

  func open(_ place: Place, schema: Schema?) throws -> ArchiveStore {
    var configuration = ArchiveConfiguration(
      schema: schema,
      fileURL: place.folder.appending(path: "a.json")
    )
    configuration.beforeStep = { try place.steps.next() }
    return try ArchiveStore(configuration, migrationPlan: nil)
  }

  func destroy(_ place: Place) throws { try place.remove() }

  func run(_ fault: StoreFault, at step: Int, in place: Place, _ body: () -> Void) -> Bool {
    place.steps.run(fault, at: step, body)
  }
}

@Suite struct `An archive keeps the store contract` {
  static let run = ConformanceRun(ArchiveFixture())

  @Test(arguments: try Self.run.rules)
  func keeps(_ rule: Rule) throws { try Self.run.check(rule) }

  @Test func `and claims core, query, relationships, concurrency and durability`() throws {
    let capabilities = try Self.run.capabilities
    let claimed = Tier.allCases.filter { $0.reasonForLeavingOut(capabilities) == nil }
    #expect(claimed == [.core, .query, .relationships, .concurrency, .durability])
  }
}
