import JSONFileStore
import StoreConformance
import StoreProtocol
import StoreTestSupport
import Testing

@Suite struct `JSONFileStore keeps the store contract` {
  struct Fixture: StoreConformance.StoreFixture {
    var usesJournal = true
    var layout = JSONFileStoreConfiguration.Layout.lines

    func makeLocation() throws -> TemporaryFolder { try TemporaryFolder(inMemory: true) }

    func open(_ location: TemporaryFolder, schema: Schema?) throws -> JSONFileStore {
      let url = location.file("folder/store.json")
      var configuration = JSONFileStoreConfiguration(schema: schema, url: url)
      configuration.usesJournal = usesJournal
      configuration.layout = layout
      return try JSONFileStore(configuration, migrationPlan: nil)
    }

    func close(_ store: JSONFileStore) throws { try store.close() }

    func destroy(_ location: TemporaryFolder) {}
  }

  @Test(arguments: try Sweep.rules(Rule.all(for: Fixture()), turn: 0))
  func keeps(_ rule: Rule) throws { try rule.check(Fixture()) }

  /// A part has no random rules, which take the most time.
  static func isAsked(_ rule: Rule) -> Bool { Sweep.isWhole || !rule.id.hasPrefix("RANDOM") }

  @Test(arguments: try Sweep.part(Rule.all(for: Fixture()).filter(isAsked), of: 100))
  func `keeps without a journal`(_ rule: Rule) throws {
    try rule.check(Fixture(usesJournal: false, layout: .indented))
  }
}
