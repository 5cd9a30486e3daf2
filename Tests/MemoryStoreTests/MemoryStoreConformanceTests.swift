import MemoryStore
import StoreConformance
import StoreProtocol
import StoreTestSupport
import Testing

@Suite struct `MemoryStore keeps the store contract` {
  struct Fixture: StoreFixture {
    func makeLocation() -> MemoryStoreConfiguration { MemoryStoreConfiguration() }

    func open(_ location: MemoryStoreConfiguration, schema: Schema?) throws -> MemoryStore {
      var configuration = location
      configuration.schema = schema
      return try MemoryStore(configuration)
    }

    func destroy(_ location: MemoryStoreConfiguration) {}
  }

  @Test(arguments: try Sweep.rules(Rule.all(for: Fixture()), turn: 1))
  func keeps(_ rule: Rule) throws { try rule.check(Fixture()) }

  // The rows outlive a store, but not the process, so these rules apply too.
  @Test(
    arguments: Sweep.rules(
      Rule.all.filter { rule in
        rule.needs.contains(.durability) && !rule.needs.contains(.migration) && rule.hooks.isEmpty
      },
      turn: 0
    )
  )
  func `keeps durability rules while its configuration exists`(_ rule: Rule) throws {
    try rule.check(Fixture())
  }
}
