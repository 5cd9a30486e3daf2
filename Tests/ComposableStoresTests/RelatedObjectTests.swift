import ComposableStores
import OpenSwiftData
import StoreTestSupport
import Testing

/// A store that always responds that it has read the rows of related objects.
private final class UnaskedStore: WrappingStore {
  struct Configuration: WrappingConfiguration {
    typealias Store = UnaskedStore
    var base: MemoryStoreConfiguration
  }

  let configuration: Configuration
  let base: MemoryStore

  init(_ configuration: Configuration, migrationPlan: (any SchemaMigrationPlan.Type)?) throws {
    self.configuration = configuration
    base = try MemoryStore(configuration.base)
  }

  func members(
    of property: String,
    in entity: String,
    owners: [PersistentIdentifier],
    wantsRows: Bool,
    _ body: (_ owner: Int64, RowReader) throws -> Void
  ) throws -> StoreMembers { .read(orders: [:]) }
}

@Suite("Related objects")
struct RelatedObjectTests {
  @Test func `are listed by a wrapping store, whose own reads then find their rows`() throws {
    let folder = try TemporaryFolder()
    let file = SQLiteStoreConfiguration(url: folder.file("atlas.db"))
    let (_, writer) = try open(file)
    let atlas = Atlas("Seas")
    writer.insert(atlas)
    let chart = Chart("Skagerrak", atlas: atlas)
    writer.insert(chart)
    try writer.save()

    var reading = file.readOnly()
    reading.schema = Schema([Atlas.self, Chart.self])
    let owner = atlas.persistentModelID
    func members(of store: any RecordStore) throws -> (StoreMembers, rows: Int) {
      var rows = 0
      let found = try store.members(of: "charts", in: "Atlas", owners: [owner], wantsRows: true) {
        _,
        _ in rows += 1
      }
      return (found, rows)
    }
    let wrapped = try members(of: ReadOnlyStore<SQLiteStore>(reading))
    guard case .listed(let lists) = wrapped.0 else { throw Unexpected() }
    #expect(lists == [owner: [chart.persistentModelID]])
    #expect(wrapped.rows == 0)
    let direct = try members(of: SQLiteStore(reading.base, migrationPlan: nil))
    guard case .read(let orders) = direct.0 else { throw Unexpected() }
    #expect(orders.isEmpty)
    #expect(direct.rows == 1)
  }

  @Test func `are an error if a store reads their rows without being asked`() throws {
    let schema = Schema([Atlas.self, Chart.self])
    let configuration = UnaskedStore.Configuration(base: MemoryStoreConfiguration(schema: schema))
    let store = try UnaskedStore(configuration, migrationPlan: nil)
    #expect(throws: DataStoreError.unsupportedFeature) {
      try store.members(of: "charts", in: "Atlas", owners: [])
    }
  }
}

private struct Unexpected: Error {}
