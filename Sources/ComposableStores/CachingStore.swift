import Foundation
import StoreProtocol

/// A store that caches the results of another, until a save or a change by others.
///
/// ```swift
/// let configuration = SQLiteStoreConfiguration(url: url).cached()
/// ```
///
/// A repeated request costs a dictionary lookup. Every save through this store clears all results,
/// so it is useful with many fetches and few saves. If the wrapped store can watch
/// (``RecordStore/watch()``), as stores in SQLite files do, a save by others is detected before
/// each result. A wrapped store that cannot must have no other handle.
public final class CachingStore<Base: RecordStore>: WrappingStore {
  /// The type of the store's configuration.
  public typealias Configuration = CachingStoreConfiguration<Base.Configuration>

  /// The configuration of the store.
  public let configuration: Configuration
  /// The wrapped store.
  public let base: Base
  private let cache: ResultCache

  /// Opens the wrapped store.
  public init(
    _ configuration: Configuration,
    migrationPlan: (any SchemaMigrationPlan.Type)? = nil
  ) throws {
    self.configuration = configuration
    base = try Base(configuration.base, migrationPlan: migrationPlan)
    cache = ResultCache(maximumRows: configuration.maximumRows, watch: try base.watch())
  }

  public func fetch(_ query: StoreQuery) throws -> [DefaultSnapshot] {
    try cache.value(.fetch(query), rows: \.count) { try base.fetch(query) }
  }

  public func count(_ query: StoreQuery) throws -> Int {
    try cache.value(.count(query), rows: { _ in 1 }) { try base.count(query) }
  }

  public func identifiers(_ query: StoreQuery) throws -> [PersistentIdentifier] {
    try cache.value(.identifiers(query), rows: \.count) { try base.identifiers(query) }
  }

  public func read(_ query: StoreQuery, _ body: (RowReader) throws -> Void) throws {
    let rows: [CopiedRow] = try cache.value(.read(query), rows: \.count) {
      var rows: [CopiedRow] = []
      try base.read(query) { rows.append(try CopiedRow($0)) }
      return rows
    }
    guard let first = rows.first else { return }
    let reader = CopiedRowReader(first)
    for row in rows {
      reader.move(to: row)
      try body(reader)
    }
  }

  public func select(
    _ selection: StoreSelection,
    _ body: ([StoreValue]) throws -> Void
  ) throws {
    let rows: [[StoreValue]] = try cache.value(.select(selection), rows: \.count) {
      var rows: [[StoreValue]] = []
      try base.select(selection) { rows.append($0) }
      return rows
    }
    for row in rows { try body(row) }
  }

  public func members(
    of property: String,
    in entity: String,
    owners: [PersistentIdentifier]
  ) throws -> [PersistentIdentifier: [PersistentIdentifier]] {
    try cache.value(
      .members(property: property, entity: entity, owners: owners),
      rows: { $0.reduce(0) { $0 + 1 + $1.value.count } }
    ) {
      try base.members(of: property, in: entity, owners: owners)
    }
  }

  public func readingOneState(_ body: () throws -> Void) throws {
    try base.readingOneState { try cache.bypassing(body) }
  }

  public func apply(_ changes: StoreChanges) throws -> StoreChangesResult {
    try cache.forgetting { try base.apply(changes) }
  }

  public func outcome(ofSave identifier: UUID) throws -> SaveOutcome {
    // The wrapped store may complete a save only now.
    try cache.forgetting { try base.outcome(ofSave: identifier) }
  }

  public func erase() throws { try cache.forgetting { try base.erase() } }
}

extension CachingStore: HistoryKeeping, HistoryProviding where Base: HistoryKeeping {}
extension CachingStore: MaintainableStore where Base: MaintainableStore {}
extension CachingStore: MigratableStore where Base: MigratableStore {}
extension CachingStore: RewritableStore where Base: RewritableStore {}

/// The configuration of a store that caches results.
public struct CachingStoreConfiguration<Below: DataStoreConfiguration>: WrappingConfiguration
where Below.Store: RecordStore {
  /// The type of the configured store.
  public typealias Store = CachingStore<Below.Store>

  /// The configuration of the wrapped store.
  public var base: Below
  /// The largest number of rows in all results together.
  ///
  /// The cache is emptied if it would exceed it, and a result with more rows is not cached.
  public var maximumRows: Int

  /// Creates a configuration.
  public init(_ base: Below, maximumRows: Int = 10_000) {
    self.base = base
    self.maximumRows = maximumRows
  }

  /// Checks the limit, and the wrapped configuration.
  public func validate() throws {
    guard maximumRows >= 0 else {
      throw DataStoreError(
        .invalidConfiguration,
        "a cache cannot have \(maximumRows) rows; use 0 or more"
      )
    }
    try base.validate()
  }
}

extension DataStoreConfiguration where Store: RecordStore {
  /// Returns a configuration of the store that caches its results until a save.
  public func cached(maximumRows: Int = 10_000) -> CachingStoreConfiguration<Self> {
    CachingStoreConfiguration(self, maximumRows: maximumRows)
  }
}
