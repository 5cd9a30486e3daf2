import Foundation
import ModelLayer
import SQLiteStore

/// The store of a ``ModelConfiguration``: a SQLite database.
public final class DefaultStore: RecordStore, HistoryKeeping {
  /// The configuration that makes such a store.
  public typealias Configuration = ModelConfiguration

  let base: SQLiteStore
  /// The configuration that the store was made from.
  public let configuration: ModelConfiguration

  /// Opens the store of a configuration, making it where there is none.
  public init(
    _ configuration: ModelConfiguration,
    migrationPlan: (any SchemaMigrationPlan.Type)? = nil
  ) throws {
    self.configuration = configuration
    base = try SQLiteStore(configuration.sqlite, migrationPlan: migrationPlan)
  }

  /// The configuration's name.
  public var name: String { configuration.name }
  public var identifier: String { base.identifier }
  public var schema: Schema { base.schema }
  public var capabilities: StoreCapabilities { base.capabilities }

  public func fetch(_ query: StoreQuery) throws -> [DefaultSnapshot] { try base.fetch(query) }

  public func count(_ query: StoreQuery) throws -> Int { try base.count(query) }

  public func identifiers(_ query: StoreQuery) throws -> [PersistentIdentifier] {
    try base.identifiers(query)
  }

  public func read(
    _ query: StoreQuery,
    _ body: (PersistentIdentifier, RowReader) throws -> Void
  ) throws {
    try base.read(query, body)
  }

  public func members(
    of property: String,
    in entity: String,
    owners: [PersistentIdentifier]
  ) throws -> [PersistentIdentifier: [PersistentIdentifier]] {
    try base.members(of: property, in: entity, owners: owners)
  }

  public func apply(_ changes: StoreChanges) throws -> StoreChangesResult {
    try base.apply(changes)
  }

  public func erase() throws { try base.erase() }
}
