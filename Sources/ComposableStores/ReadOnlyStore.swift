import StoreProtocol

/// A store that answers what another holds, and changes nothing.
///
/// ```swift
/// let guide = JSONFileStoreConfiguration(url: bundled).readOnly()
/// let container = try ModelContainer(for: Place.self, configurations: guide)
/// ```
///
/// Every save is refused with ``DataStoreError/storeReadOnly``. A store that is not there, or that
/// was written with another schema, is refused when it is opened, and left as it is. What opening a
/// store itself writes (a lock, what a kill left undone) is up to the store below; stores in files
/// have a setting that keeps them from that, `allowsSave`.
public final class ReadOnlyStore<Base: RecordStore>: WrappingStore {
  /// The configuration that describes such a store.
  public typealias Configuration = ReadOnlyStoreConfiguration<Base.Configuration>
  /// The records in which the store deals.
  public typealias Snapshot = DefaultSnapshot

  /// The configuration that the store was made from.
  public let configuration: Configuration
  /// The models as the program has them.
  public let schema: Schema
  /// The store below.
  public let base: Base

  /// Opens the store below with the schema that it has.
  ///
  /// - Throws: ``DataStoreError/schemaMismatch`` where that is not the program's, and what opening
  ///   the store below throws, also where it is not there.
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
        "the store \(configuration.name) was written with another schema and is only read; open it "
          + "for writing once, or read it with the schema that it has"
      )
    }
    schema = wanted
    // Rows are read by the program's order of declarations, the one thing that may differ. The first
    // store has to be closed then, since two of a file may not be open with two schemas.
    if !stored.storeSchema.hasOrder(of: wanted.storeSchema) { opened = nil }
    base = try opened ?? Self.open(configuration.base, with: wanted)
  }

  /// Opens the store below; with a schema of the program's it would bring its rows to that one.
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
    capabilities.migration = .unsupported("the store is only read")
    if !(base is any HistoryKeeping) {
      capabilities.history = .unsupported("the history of the store below is not passed on")
    }
    return capabilities
  }

  /// Makes none.
  public func supports(_ change: BulkChange) throws -> Bool { false }

  /// Refuses.
  public func apply(_ changes: StoreChanges) throws -> StoreChangesResult { throw refusal }

  /// Refuses.
  public func erase() throws { throw refusal }

  private var refusal: DataStoreError {
    DataStoreError(
      .storeReadOnly,
      "the store \(configuration.name) is only read; put an OverlayStore over it to keep edits"
    )
  }
}

extension ReadOnlyStore: HistoryKeeping, HistoryProviding where Base: HistoryKeeping {
  /// Refuses.
  public func deleteTransactions(_ filter: StoreHistoryFilter?) throws { throw refusal }

  /// Refuses.
  public func setHistoryReader(_ position: HistoryReaderPosition) throws { throw refusal }

  /// Refuses.
  public func removeHistoryReader(_ name: String) throws { throw refusal }
}

/// The description of a store that is only read.
public struct ReadOnlyStoreConfiguration<Below: DataStoreConfiguration>: WrappingConfiguration
where Below.Store: RecordStore {
  /// The kind of store that this configures.
  public typealias Store = ReadOnlyStore<Below.Store>

  /// The configuration of the store below.
  public var base: Below

  /// Creates a configuration.
  public init(_ base: Below) { self.base = base }
}

extension DataStoreConfiguration where Store: RecordStore {
  /// The same store, only read.
  public func readOnly() -> ReadOnlyStoreConfiguration<Self> { ReadOnlyStoreConfiguration(self) }
}

extension StoreSchema {
  /// Whether the properties stand in the same order as in a schema that is the same otherwise.
  fileprivate func hasOrder(of other: StoreSchema) -> Bool {
    entities.allSatisfy { $0.propertyNames == other.entity(named: $0.name)?.propertyNames }
  }
}
