import OpenSwiftData
import StoreConformance
import StoreTestSupport
import Testing

@Suite struct `SQLiteStore keeps the store contract` {
  struct Fixture: StoreFixture {
    func makePlace() throws -> TemporaryFolder { try TemporaryFolder() }

    func open(_ folder: TemporaryFolder, schema: Schema?) throws -> SQLiteStore {
      let configuration = SQLiteStoreConfiguration(schema: schema, url: folder.file("a.store"))
      return try SQLiteStore(configuration, migrationPlan: nil)
    }

    func destroy(_ folder: TemporaryFolder) {}
  }

  static let run = ConformanceRun(
    Fixture(),
    knownFailures: [
      "UNIQUE-109": "the index of a constraint finds two NaN equal (SQLiteFormat.md)",
      "UNIQUE-110": "the index of a constraint finds two NaN equal (SQLiteFormat.md)",
    ]
  )

  @Test(arguments: try run.rules)
  func keeps(_ rule: Rule) throws { try Self.run.check(rule) }
}
