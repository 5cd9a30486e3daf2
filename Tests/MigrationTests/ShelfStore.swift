import OpenSwiftData
import Synchronization

/// A store that knows nothing of migrations but where its rows are and under which schema.
final class ShelfStore: RewritableStore {
  /// The location of a store, whose contents can be moved to another one.
  final class Shelf: Sendable {
    private let content = Mutex<MemoryStoreConfiguration?>(nil)

    var current: MemoryStoreConfiguration? { content.withLock { $0 } }

    func put(_ configuration: MemoryStoreConfiguration?) {
      content.withLock { $0 = configuration }
    }
  }

  struct Configuration: DataStoreConfiguration {
    typealias Store = ShelfStore
    let name = "shelf"
    var schema: Schema?
    let shelf = Shelf()

    static func == (lhs: Self, rhs: Self) -> Bool { lhs.shelf === rhs.shelf }
    func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(shelf)) }
  }

  typealias Snapshot = DefaultSnapshot

  let configuration: Configuration
  private let base: MemoryStore

  init(_ configuration: Configuration, migrationPlan: (any SchemaMigrationPlan.Type)?) throws {
    let stored =
      configuration.shelf.current
      ?? MemoryStoreConfiguration(schema: configuration.schema)
    if configuration.shelf.current == nil { configuration.shelf.put(stored) }
    var opened = stored
    opened.schema = configuration.schema
    base = try MemoryStore(opened)
    self.configuration = configuration
  }

  var schema: Schema { base.schema }
  var identifier: String { base.identifier }
  var capabilities: StoreCapabilities { base.capabilities }

  func read(_ query: StoreQuery, _ body: (RowReader) throws -> Void) throws {
    try base.read(query, body)
  }

  func members(
    of property: String,
    in entity: String,
    owners: [PersistentIdentifier],
    wantsRows: Bool,
    _ body: (_ owner: Int64, RowReader) throws -> Void
  ) throws -> StoreMembers {
    try base.members(of: property, in: entity, owners: owners, wantsRows: wantsRows, body)
  }

  func apply(_ changes: StoreChanges) throws -> StoreChangesResult { try base.apply(changes) }

  func erase() throws { try base.erase() }

  static func storedSchema(of configuration: Configuration) throws -> StoreSchema? {
    guard var stored = configuration.shelf.current else { return nil }
    stored.schema = nil
    return try MemoryStore(stored).schema.storeSchema
  }

  static func emptyLocation(for configuration: Configuration, number: Int) throws -> Configuration {
    Configuration()
  }

  static func replace(_ configuration: Configuration, by location: Configuration) throws {
    configuration.shelf.put(location.shelf.current)
  }

  static func remove(_ location: Configuration) { location.shelf.put(nil) }
}
