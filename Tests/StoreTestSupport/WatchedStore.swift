import StoreProtocol
import Synchronization

/// A store that passes everything on to another and writes down what it was asked.
///
/// Where its configuration says so, it leaves out of rows what it was not asked for by name, as a
/// store may.
public final class WatchedStore<Base: RecordStore>: RecordStore
where Base.Configuration: Sendable {
  /// The configuration that describes such a store.
  public typealias Configuration = WatchedStoreConfiguration<Base>
  /// The records in which the store deals.
  public typealias Snapshot = DefaultSnapshot

  /// The configuration that the store was made from.
  public let configuration: Configuration
  private let base: Base
  private var log: StoreLog { configuration.log }

  /// Opens the store that is to be watched.
  public init(
    _ configuration: Configuration,
    migrationPlan: (any SchemaMigrationPlan.Type)? = nil
  ) throws {
    self.configuration = configuration
    base = try Base(configuration.base, migrationPlan: migrationPlan)
  }

  public var identifier: String { base.identifier }
  public var schema: Schema { base.schema }
  public var capabilities: StoreCapabilities { base.capabilities }

  public func fetch(_ query: StoreQuery) throws -> [DefaultSnapshot] {
    try log.note("fetch", query)
    return try base.fetch(query)
  }

  public func count(_ query: StoreQuery) throws -> Int {
    try log.note("count", query)
    return try base.count(query)
  }

  public func identifiers(_ query: StoreQuery) throws -> [PersistentIdentifier] {
    try log.note("identifiers", query)
    return try base.identifiers(query)
  }

  public func read(
    _ query: StoreQuery,
    _ body: (PersistentIdentifier, RowReader) throws -> Void
  ) throws {
    try log.note("read", query)
    guard configuration.leavesOut else { return try base.read(query, body) }
    let wanted = query.properties.map(Set.init)
    try base.read(query) { identifier, reader in
      try body(identifier, LeavingReader(reader, wanted: wanted))
    }
  }

  public func select(
    _ selection: StoreSelection,
    _ body: ([StoreValue]) throws -> Void
  ) throws {
    try log.note("select", selection.query)
    try base.select(selection, body)
  }

  public func part(of query: StoreQuery) throws -> StoreQueryPart { try base.part(of: query) }

  public func explain(_ query: StoreQuery) throws -> StoreExplanation { try base.explain(query) }

  public func explain(_ selection: StoreSelection) throws -> StoreExplanation {
    try base.explain(selection)
  }

  public func members(
    of property: String,
    in entity: String,
    owners: [PersistentIdentifier]
  ) throws -> [PersistentIdentifier: [PersistentIdentifier]] {
    try log.note("members", StoreQuery(entity: entity, properties: [property]))
    return try base.members(of: property, in: entity, owners: owners)
  }

  public func apply(_ changes: StoreChanges) throws -> StoreChangesResult {
    try log.note(changes)
    return try base.apply(changes)
  }

  public func erase() throws { try base.erase() }
}

/// The description of a store that is watched; copies share one log.
public struct WatchedStoreConfiguration<Base: RecordStore>: DataStoreConfiguration, Sendable
where Base.Configuration: Sendable {
  /// The kind of store that this configures.
  public typealias Store = WatchedStore<Base>

  /// The configuration of the store that is watched.
  public var base: Base.Configuration
  /// What the store was asked.
  public let log: StoreLog
  /// Whether the store leaves out what is not asked for by name.
  public let leavesOut: Bool

  /// Creates the configuration of a watched store.
  public init(_ base: Base.Configuration, log: StoreLog, leavesOut: Bool = false) {
    self.base = base
    self.log = log
    self.leavesOut = leavesOut
  }

  /// The name of the configuration below.
  public var name: String { base.name }
  /// The models of the store.
  public var schema: Schema? {
    get { base.schema }
    set { base.schema = newValue }
  }

  /// Compares the configurations below.
  public static func == (lhs: Self, rhs: Self) -> Bool { lhs.base == rhs.base }

  /// Hashes the configuration below.
  public func hash(into hasher: inout Hasher) { hasher.combine(base) }
}

/// What a watched store was asked, shared with the test.
public final class StoreLog: Sendable {
  private struct State {
    var calls: [String] = []
    var queries: [StoreQuery] = []
    var changes: [StoreChanges] = []
    var failures: [any Error] = []
  }

  private let state = Mutex(State())

  /// Creates an empty log.
  public init() {}

  /// The names of the calls so far, saves left out.
  public var calls: [String] { state.withLock { $0.calls } }
  /// What the calls asked for; for members the entity and the property.
  public var queries: [StoreQuery] { state.withLock { $0.queries } }
  /// What was saved.
  public var changes: [StoreChanges] { state.withLock { $0.changes } }

  /// Forgets what was asked so far.
  public func clear() { state.withLock { $0 = State() } }

  /// Has the next question throw.
  public func fail(with error: any Error) { state.withLock { $0.failures.append(error) } }

  func note(_ call: String, _ query: StoreQuery) throws {
    try state.withLock { state in
      state.calls.append(call)
      state.queries.append(query)
      if !state.failures.isEmpty { throw state.failures.removeFirst() }
    }
  }

  func note(_ changes: StoreChanges) throws {
    state.withLock { $0.changes.append(changes) }
  }
}

/// A row without the attributes that nobody asked for.
private final class LeavingReader: RowReader {
  private let base: RowReader
  private let wanted: Set<String>?

  init(_ base: RowReader, wanted: Set<String>?) {
    self.base = base
    self.wanted = wanted
    super.init(entity: base.entity)
  }

  override var version: Int64 { base.version }

  override func isDeferred(at index: Int) -> Bool {
    let property = entity.properties[index]
    guard property.attributeType != nil else { return false }
    return wanted.map { !$0.contains(property.name) }
      ?? property.options.contains("externalStorage")
  }

  override func value(at index: Int) throws -> StoreValue {
    isDeferred(at: index) ? .null : try base.value(at: index)
  }
}
