import OpenSwiftData
import StoreConformance
import StoreTestSupport
import Testing

@Suite struct `JSONFileStore keeps the store contract` {
  struct Fixture: StoreFixture {
    func makeLocation() throws -> TemporaryFolder { try TemporaryFolder(inMemory: true) }

    func open(_ folder: TemporaryFolder, schema: Schema?) throws -> JSONFileStore {
      let configuration = JSONFileStoreConfiguration(schema: schema, url: folder.file("a.json"))
      return try JSONFileStore(configuration, migrationPlan: nil)
    }

    func destroy(_ folder: TemporaryFolder) {}
  }

  @Test(arguments: try Rule.all(for: Fixture()))
  func keeps(_ rule: Rule) throws { try rule.check(Fixture()) }
}
