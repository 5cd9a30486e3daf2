import Foundation
import JSONFileStore
import StoreConformance
import StoreProtocol
import Testing

@Suite struct `JSONFileStore keeps the store contract` {
  struct Fixture: StoreConformance.StoreFixture {
    var usesJournal = true
    var layout = JSONFileStoreConfiguration.Layout.lines

    func makePlace() -> URL {
      FileManager.default.temporaryDirectory.appending(path: "JSONFileStore-\(UUID().uuidString)")
    }

    func open(_ place: URL, schema: Schema?) throws -> JSONFileStore {
      let url = place.appending(path: "store.json")
      var configuration = JSONFileStoreConfiguration(schema: schema, url: url)
      configuration.usesJournal = usesJournal
      configuration.layout = layout
      return try JSONFileStore(configuration, migrationPlan: nil)
    }

    func close(_ store: JSONFileStore) throws { try store.close() }

    func destroy(_ place: URL) throws { try FileManager.default.removeItem(at: place) }
  }

  @Test(arguments: try Rule.all(for: Fixture()))
  func keeps(_ rule: Rule) throws { try rule.check(Fixture()) }

  @Test(arguments: try Rule.all(for: Fixture()))
  func `keeps without a journal`(_ rule: Rule) throws {
    try rule.check(Fixture(usesJournal: false, layout: .indented))
  }
}
