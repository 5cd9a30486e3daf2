import StoreProtocol

/// A store that reads another one, and changes nothing.
///
/// ```swift
/// let guide = JSONFileStoreConfiguration(url: bundled).readOnly()
/// let container = try ModelContainer(for: Place.self, configurations: guide)
/// ```
///
/// It refuses every save with ``DataStoreError/storeReadOnly``. A store that does not exist, or
/// that has another schema, is refused when it is opened, and unchanged. Opening a wrapped store
/// may itself write (a lock, or recovery after a kill); stores in files have a setting that
/// prevents this, `allowsSave`.
public final class ReadOnlyStore<Base: RecordStore>: WrappingStore {
  /// The type of the store's configuration.
  public typealias Configuration = ReadOnlyStoreConfiguration<Base.Configuration>

  /// The configuration of the store.
  public let configuration: Configuration
  /// The models of the program.
  public let schema: Schema
  /// The wrapped store.
  public let base: Base

  /// Opens the wrapped store with its own schema.
  ///
  /// - Throws: ``DataStoreError/schemaMismatch`` if that is not the program's, and errors of
  ///   opening the wrapped store, for example if it does not exist.
  public init(
    _ configuration: Configuration,
    migrationPlan: (any SchemaMigrationPlan.Type)? = nil
  ) throws {
    self.configuration = configuration
    var opened: Base? = try Self.open(configuration.base, with: nil)
    let stored = opened?.schema ?? Schema()
    let wanted = configuration.schema ?? stored
    guard stored.storeSchema.fingerprint == wanted.storeSchema.fingerprint else {
      throw DataStoreError(
        .schemaMismatch,
        "the store \(configuration.name) has another schema and is read-only; open it once for "
          + "writing to migrate it, or read it with its own schema"
      )
    }
    schema = wanted
    // Rows are read by the program's order of declarations, the one difference that is allowed. The
    // first store is closed before, since two stores of a file cannot be open with different
    // schemas.
    if !stored.storeSchema.hasOrder(of: wanted.storeSchema) { opened = nil }
    base = try opened ?? Self.open(configuration.base, with: wanted)
  }

  /// Opens the wrapped store without a schema, since one of the program would migrate its rows.
  private static func open(
    _ configuration: Base.Configuration,
    with schema: Schema?
  ) throws -> Base {
    var configuration = configuration
    configuration.schema = schema
    return try Base(configuration, migrationPlan: nil)
  }

  public var capabilities: StoreCapabilities {
    var capabilities = base.capabilities
    capabilities.migration = .unsupported("the store is read-only")
    if !(base is any HistoryKeeping) {
      capabilities.history = .unsupported("the history of the wrapped store is not available")
    }
    return capabilities
  }

  /// Returns a part with nothing.
  public func plan(_ request: StorePlan.Request, explained: Bool) throws -> StorePlan {
    if case .change = request { return StorePlan(noneOf: request) }
    return try base.plan(request, explained: explained)
  }

  /// Refuses the changes.
  public func apply(_ changes: StoreChanges) throws -> StoreChangesResult { throw refusal }

  /// Refuses to remove the data.
  public func erase() throws { throw refusal }

  private var refusal: DataStoreError {
    DataStoreError(
      .storeReadOnly,
      "the store \(configuration.name) is read-only; open it without readOnly() to save changes"
    )
  }
}

extension ReadOnlyStore: HistoryKeeping, HistoryProviding where Base: HistoryKeeping {
  /// Refuses to delete history.
  public func deleteTransactions(_ filter: StoreHistoryFilter?) throws { throw refusal }

  /// Refuses to store a reader's position.
  public func setHistoryReader(_ position: HistoryReaderPosition) throws { throw refusal }

  /// Refuses to remove a reader.
  public func removeHistoryReader(_ name: String) throws { throw refusal }
}

/// The configuration of a store that is only read.
public struct ReadOnlyStoreConfiguration<Below: DataStoreConfiguration>: WrappingConfiguration
where Below.Store: RecordStore {
  /// The type of the configured store.
  public typealias Store = ReadOnlyStore<Below.Store>

  /// The configuration of the wrapped store.
  public var base: Below

  /// Creates a configuration.
  public init(_ base: Below) { self.base = base }
}

extension DataStoreConfiguration where Store: RecordStore {
  /// Returns a configuration of the store that only reads it.
  public func readOnly() -> ReadOnlyStoreConfiguration<Self> { ReadOnlyStoreConfiguration(self) }
}

extension StoreSchema {
  /// Whether the properties are in the same order as in an otherwise equal schema.
  fileprivate func hasOrder(of other: StoreSchema) -> Bool {
    entities.allSatisfy { $0.propertyNames == other.entity(named: $0.name)?.propertyNames }
  }
}
