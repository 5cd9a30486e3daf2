import ComposableStores
import OpenSwiftData
import StoreConformance
import StoreTestSupport

/// Stores around stores in memory, for the suite.
struct WrappedFixture<Configuration: DataStoreConfiguration & Sendable>: StoreFixture
where Configuration.Store: RecordStore {
  let wrap: @Sendable (MemoryStoreConfiguration) -> Configuration

  init(_ wrap: @escaping @Sendable (MemoryStoreConfiguration) -> Configuration) {
    self.wrap = wrap
  }

  func makeLocation() -> Configuration { wrap(MemoryStoreConfiguration()) }

  func open(_ location: Configuration, schema: Schema?) throws -> Configuration.Store {
    var configuration = location
    configuration.schema = schema
    try configuration.validate()
    return try Configuration.Store(configuration, migrationPlan: nil)
  }

  func destroy(_ location: Configuration) {}
}

/// Read-only stores, which the suite fills through another handle.
struct ReadOnlyFixture: StoreFixture {
  func makeLocation() -> MemoryStoreConfiguration { MemoryStoreConfiguration() }

  func open(_ location: MemoryStoreConfiguration, schema: Schema?) throws -> FilledStore {
    var configuration = FilledStoreConfiguration(base: location.readOnly())
    configuration.schema = schema
    return try FilledStore(configuration)
  }

  func destroy(_ location: MemoryStoreConfiguration) {}
}

/// A store that reads through a read-only one and writes beside it.
final class FilledStore: WrappingStore {
  typealias Configuration = FilledStoreConfiguration
  typealias Snapshot = DefaultSnapshot

  let configuration: FilledStoreConfiguration
  let base: ReadOnlyStore<MemoryStore>
  private let writer: MemoryStore

  init(
    _ configuration: FilledStoreConfiguration,
    migrationPlan: (any SchemaMigrationPlan.Type)? = nil
  ) throws {
    self.configuration = configuration
    writer = try MemoryStore(configuration.base.base)
    base = try ReadOnlyStore(configuration.base)
  }

  func apply(_ changes: StoreChanges) throws -> StoreChangesResult { try writer.apply(changes) }

  func erase() throws { try writer.erase() }
}

extension FilledStore: HistoryKeeping, HistoryProviding {
  func deleteTransactions(_ filter: StoreHistoryFilter?) throws {
    try writer.deleteTransactions(filter)
  }

  func setHistoryReader(_ position: HistoryReaderPosition) throws {
    try writer.setHistoryReader(position)
  }

  func removeHistoryReader(_ name: String) throws { try writer.removeHistoryReader(name) }
}

struct FilledStoreConfiguration: WrappingConfiguration {
  typealias Store = FilledStore
  var base: ReadOnlyStoreConfiguration<MemoryStoreConfiguration>
}
