import FolderStore
import Foundation
import StoreConformance
import StoreProtocol
import Testing

struct FolderFixture: StoreFixture {
  let hooks: Set<FixtureHook> = [.secondHandle, .faults]

  func makeLocation() throws -> StoreFolder { try StoreFolder() }

  func open(_ location: StoreFolder, schema: Schema?) throws -> FolderStore {
    var configuration = FolderStoreConfiguration(schema: schema, folder: location.folder)
    configuration.beforeStep = { try location.steps.next() }
    return try FolderStore(configuration, migrationPlan: nil)
  }

  func destroy(_ location: StoreFolder) throws { try location.remove() }

  func run(_ fault: StoreFault, at step: Int, in location: StoreFolder, _ body: () -> Void) -> Bool
  {
    location.steps.run(fault, at: step, body)
  }
}

@Suite struct `A folder of files keeps the store contract` {
  static let run = ConformanceRun(FolderFixture())

  // Without the rule of 66,000 rows: as many files, written three times, take minutes.
  @Test(arguments: try Self.run.rules.filter { $0.id != "LIMIT-008" })
  func keeps(_ rule: Rule) throws { try Self.run.check(rule) }
}
