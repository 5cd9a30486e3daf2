import Foundation
import StoreProtocol

/// A store that keeps the answers of another, until a save or a change by others.
///
/// ```swift
/// let configuration = SQLiteStoreConfiguration(url: url).cached()
/// ```
///
/// A question that was asked before in the same words costs a look into a dictionary. Every save
/// through this store forgets all answers, so that it pays where much is asked and little saved. A
/// save by anybody else is noticed before each answer where the store below can watch
/// (``RecordStore/watch()``), as stores in SQLite files do; a store below that cannot must have
/// no other handle.
public final class CachingStore<Base: RecordStore>: WrappingStore {
  /// The configuration that describes such a store.
  public typealias Configuration = CachingStoreConfiguration<Base.Configuration>
  /// The records in which the store deals.
  public typealias Snapshot = DefaultSnapshot

  /// The configuration that the store was made from.
  public let configuration: Configuration
  /// The store below.
  public let base: Base
  private let cache: AnswerCache

  /// Opens the store below.
  public init(
    _ configuration: Configuration,
    migrationPlan: (any SchemaMigrationPlan.Type)? = nil
  ) throws {
    self.configuration = configuration
    base = try Base(configuration.base, migrationPlan: migrationPlan)
    cache = AnswerCache(maximumRows: configuration.maximumRows, watch: try base.watch())
  }

  public func fetch(_ query: StoreQuery) throws -> [DefaultSnapshot] {
    try cache.answer(.fetch(query), rows: \.count) { try base.fetch(query) }
  }

  public func count(_ query: StoreQuery) throws -> Int {
    try cache.answer(.count(query), rows: { _ in 1 }) { try base.count(query) }
  }

  public func identifiers(_ query: StoreQuery) throws -> [PersistentIdentifier] {
    try cache.answer(.identifiers(query), rows: \.count) { try base.identifiers(query) }
  }

  public func read(_ query: StoreQuery, _ body: (RowReader) throws -> Void) throws {
    let rows: [KeptRow] = try cache.answer(.read(query), rows: \.count) {
      var rows: [KeptRow] = []
      try base.read(query) { rows.append(try KeptRow($0)) }
      return rows
    }
    guard let first = rows.first else { return }
    let reader = KeptRowReader(first)
    for row in rows {
      reader.move(to: row)
      try body(reader)
    }
  }

  public func select(
    _ selection: StoreSelection,
    _ body: ([StoreValue]) throws -> Void
  ) throws {
    let rows: [[StoreValue]] = try cache.answer(.select(selection), rows: \.count) {
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
    try cache.answer(
      .members(property: property, entity: entity, owners: owners),
      rows: { $0.reduce(0) { $0 + 1 + $1.value.count } }
    ) {
      try base.members(of: property, in: entity, owners: owners)
    }
  }

  public func apply(_ changes: StoreChanges) throws -> StoreChangesResult {
    try cache.forgetting { try base.apply(changes) }
  }

  public func outcome(ofSave identifier: UUID) throws -> SaveOutcome {
    // The store below may only now bring a save to its end.
    try cache.forgetting { try base.outcome(ofSave: identifier) }
  }

  public func erase() throws { try cache.forgetting { try base.erase() } }
}

extension CachingStore: HistoryKeeping, HistoryProviding where Base: HistoryKeeping {}
extension CachingStore: MaintainableStore where Base: MaintainableStore {}
extension CachingStore: MigratableStore where Base: MigratableStore {}
extension CachingStore: RewritableStore where Base: RewritableStore {}

/// The description of a store that keeps answers.
public struct CachingStoreConfiguration<Below: DataStoreConfiguration>: WrappingConfiguration
where Below.Store: RecordStore {
  /// The kind of store that this configures.
  public typealias Store = CachingStore<Below.Store>

  /// The configuration of the store below.
  public var base: Below
  /// How many rows are kept in all answers together; more empty the cache, and an answer with more
  /// is not kept.
  public var maximumRows: Int

  /// Creates a configuration.
  public init(_ base: Below, maximumRows: Int = 10_000) {
    self.base = base
    self.maximumRows = maximumRows
  }

  /// Checks the limit, and the configuration below.
  public func validate() throws {
    guard maximumRows >= 0 else {
      throw DataStoreError(
        .invalidConfiguration,
        "a cache cannot keep \(maximumRows) rows; take 0 or more"
      )
    }
    try base.validate()
  }
}

extension DataStoreConfiguration where Store: RecordStore {
  /// The same store, with its answers kept until a save.
  public func cached(maximumRows: Int = 10_000) -> CachingStoreConfiguration<Self> {
    CachingStoreConfiguration(self, maximumRows: maximumRows)
  }
}
