import Foundation
import OpenSwiftData
import StoreConformance
import StoreTestSupport
import Testing

@Suite struct `SQLiteStore keeps the store contract` {
  struct Fixture: StoreFixture {
    func makeLocation() throws -> TemporaryFolder { try TemporaryFolder(inMemory: true) }

    func open(_ folder: TemporaryFolder, schema: Schema?) throws -> SQLiteStore {
      let configuration = SQLiteStoreConfiguration(schema: schema, url: folder.file("a.store"))
      return try SQLiteStore(configuration, migrationPlan: nil)
    }

    let hooks: Set<FixtureHook> = [.secondHandle, .replacement]

    func destroy(_ folder: TemporaryFolder) throws {
      for name in try folder.names() { try FileManager.default.removeItem(at: folder.file(name)) }
    }
  }

  @Test(arguments: try Sweep.rules(Rule.all(for: Fixture()), turn: 3))
  func keeps(_ rule: Rule) throws { try rule.check(Fixture()) }
}
