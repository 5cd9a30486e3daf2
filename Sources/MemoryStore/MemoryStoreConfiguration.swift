import RowChanges
import StoreProtocol

/// The description of a store in memory; each one that is made names a place of its own.
///
/// Copies of a configuration name the same place: stores that are opened from them, one after
/// the other or side by side, hold the same rows. The rows live as long as any of these.
public struct MemoryStoreConfiguration: DataStoreConfiguration, Sendable {
  /// The kind of store that this configures.
  public typealias Store = MemoryStore

  /// A name for messages; it does not tell places apart.
  public let name: String
  /// The models kept in this store; nil takes the schema of the place, or of the container.
  public var schema: Schema?
  /// What the store remembers of its saves; no part of what makes configurations equal.
  public var history = HistoryOptions()
  let place: MemoryPlace

  /// Creates the configuration of a new, empty place.
  public init(_ name: String? = nil, schema: Schema? = nil) {
    self.name = name ?? "memory"
    self.schema = schema
    place = MemoryPlace()
  }

  /// Creates the configuration of a new place with rows under the identifiers of another store.
  ///
  /// References to rows that are not among them are left out.
  ///
  /// - Throws: ``DataStoreError/uniqueConflict`` where two rows have the same unique values.
  package init(schema: Schema, identifier: String, rows: [DefaultSnapshot]) throws {
    name = "memory"
    self.schema = schema
    place = MemoryPlace(identifier: identifier)
    _ = try place.open(schema)
    let catalog = Catalog(schema.storeSchema, storeIdentifier: identifier)
    try place.change { stored, _ in try stored.fill(rows, catalog) }
  }

  /// Compares the places, whatever the configurations are called.
  public static func == (lhs: Self, rhs: Self) -> Bool { lhs.place === rhs.place }

  /// Hashes the place.
  public func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(place)) }
}
