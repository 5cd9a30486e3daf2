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

/// The location of a store file in a folder of its own.
struct FileLocation: Sendable {
  let folder: TemporaryFolder
  var file: URL { folder.file("store.db") }
}

/// Caches in front of SQLite files, two of which may be open at one location.
struct CachedFileFixture: StoreFixture {
  var hooks: Set<FixtureHook> { [.secondHandle] }

  func makeLocation() throws -> FileLocation {
    FileLocation(folder: try TemporaryFolder(inMemory: true))
  }

  func open(_ location: FileLocation, schema: Schema?) throws -> CachingStore<SQLiteStore> {
    try CachingStore(SQLiteStoreConfiguration(schema: schema, url: location.file).cached())
  }

  func destroy(_ location: FileLocation) {}
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

/// Edits over an empty base, both in memory or both in files.
struct OverlayFixture: StoreFixture {
  typealias Location = OverlayStoreConfiguration<MemoryStoreConfiguration, MemoryStoreConfiguration>

  func makeLocation() -> Location {
    MemoryStoreConfiguration().overlaid(by: MemoryStoreConfiguration())
  }

  func open(
    _ location: Location,
    schema: Schema?
  ) throws -> OverlayStore<MemoryStore, MemoryStore> {
    var configuration = location
    configuration.schema = schema
    // The base has to be there, as in a program that ships with one.
    _ = try MemoryStore(configuration.base)
    return try OverlayStore(configuration)
  }

  func destroy(_ location: Location) {}
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
