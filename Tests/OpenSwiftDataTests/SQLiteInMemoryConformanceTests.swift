import OpenSwiftData
import StoreConformance
import StoreTestSupport
import Testing

@Suite struct `SQLiteStore in memory keeps the store contract` {
  struct Fixture: StoreFixture {
    func makeLocation() {}

    func open(_ location: Void, schema: Schema?) throws -> SQLiteStore {
      try SQLiteStore(.inMemory(schema: schema), migrationPlan: nil)
    }

    func destroy(_ location: Void) {}
  }

  @Test(arguments: try Sweep.rules(Rule.all(for: Fixture()), turn: 2))
  func keeps(_ rule: Rule) throws { try rule.check(Fixture()) }
}
