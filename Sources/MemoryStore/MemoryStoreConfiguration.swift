import RowChanges
import StoreProtocol

/// The configuration of an in-memory store; each new configuration has its own storage.
///
/// Copies of a configuration share the storage: stores that are opened with them, one after another
/// or concurrently, contain the same rows. The rows exist as long as any of these.
public struct MemoryStoreConfiguration: DataStoreConfiguration, Sendable {
  /// The type of the store.
  public typealias Store = MemoryStore

  /// A name for messages, which does not identify the storage.
  public let name: String
  /// The models kept in this store; `nil` means the schema of the storage or of the container.
  public var schema: Schema?
  /// The options of the history, which are not compared.
  public var history = HistoryOptions()
  let storage: MemoryStorage

  /// Creates a configuration with new, empty storage.
  public init(_ name: String? = nil, schema: Schema? = nil) {
    self.name = name ?? "memory"
    self.schema = schema
    storage = MemoryStorage()
  }

  /// Creates a configuration with new storage that contains rows under the identifiers of another
  /// store.
  ///
  /// References to other rows are left out.
  ///
  /// - Throws: ``DataStoreError/uniqueConflict`` if two rows have the same unique values.
  package init(schema: Schema, identifier: String, rows: [DefaultSnapshot]) throws {
    name = "memory"
    self.schema = schema
    storage = MemoryStorage(identifier: identifier)
    _ = try storage.open(schema)
    let catalog = Catalog(schema.storeSchema, storeIdentifier: identifier)
    try storage.change { stored, _ in try stored.fill(rows, catalog) }
  }

  /// Compares the storage, regardless of the configurations' names.
  public static func == (lhs: Self, rhs: Self) -> Bool { lhs.storage === rhs.storage }

  /// Hashes the storage.
  public func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(storage)) }
}
