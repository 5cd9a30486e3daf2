import FolderStore
import Foundation
import StoreConformance
import StoreProtocol
import Testing

struct FolderFixture: StoreFixture {
  let hooks: Set<FixtureHook> = [.secondHandle, .faults]

  func makeLocation() throws -> Place { try Place() }

  func open(_ place: Place, schema: Schema?) throws -> FolderStore {
    var configuration = FolderStoreConfiguration(schema: schema, folder: place.folder)
    configuration.beforeStep = { try place.steps.next() }
    return try FolderStore(configuration, migrationPlan: nil)
  }

  func destroy(_ place: Place) throws { try place.remove() }

  func run(_ fault: StoreFault, at step: Int, in place: Place, _ body: () -> Void) -> Bool {
    place.steps.run(fault, at: step, body)
  }
}

@Suite struct `A folder of files keeps the store contract` {
  static let run = ConformanceRun(FolderFixture())

  @Test(arguments: try Self.run.rules)
  func keeps(_ rule: Rule) throws { try Self.run.check(rule) }
}
