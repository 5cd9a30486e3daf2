import MemoryStore
import StoreConformance
import StoreProtocol
import Testing

@Suite struct `MemoryStore keeps the store contract` {
  struct Fixture: StoreFixture {
    func makePlace() -> MemoryStoreConfiguration { MemoryStoreConfiguration() }

    func open(_ place: MemoryStoreConfiguration, schema: Schema?) throws -> MemoryStore {
      var configuration = place
      configuration.schema = schema
      return try MemoryStore(configuration)
    }

    func destroy(_ place: MemoryStoreConfiguration) {}
  }

  // The rows outlive a store though not the process, so rules that reopen hold too.
  @Test(arguments: Rule.all.filter { !$0.needs.contains(.foreignFiltering) && !$0.needs.contains(.foreignSorting) })
  func keeps(_ rule: Rule) throws { try rule.check(Fixture()) }
}
