import ComposableStores
import OpenSwiftData

@testable import StoreConformance

/// A store that forwards all requests to another, except for its alterations.
///
/// Without alterations it proves that a store can be wrapped. With counting ones it reports the
/// requests to a store. With wrong ones it proves that rules can fail.
final class AlteredStore: ForwardingStore {
  let configuration: AlteredStoreConfiguration
  let base: any RecordStore
  var target: any RecordStore { base }
  var alterations: Alterations { configuration.alterations }

  init(
    _ configuration: AlteredStoreConfiguration,
    migrationPlan: (any SchemaMigrationPlan.Type)? = nil
  ) throws {
    self.configuration = configuration
    base = try configuration.openBase(configuration.schema)
  }

  var identifier: String { alterations.identifier?(base) ?? base.identifier }
  var capabilities: StoreCapabilities {
    var capabilities = base.capabilities
    if !(base is any HistoryKeeping) {
      capabilities.history = .unsupported("a history of another kind is not passed on")
    }
    return alterations.capabilities?(capabilities) ?? capabilities
  }

  func count(_ query: StoreQuery) throws -> Int {
    try alterations.count?(base, query) ?? base.count(query)
  }

  func read(_ query: StoreQuery, _ body: (RowReader) throws -> Void) throws {
    if query.content == .identifiers {
      guard let found = try alterations.identifiers?(base, query) else {
        return try base.read(query, body)
      }
      return try read(identifiers: found, body)
    }
    if query.row != nil, query.content == .values, let row = alterations.row {
      return try row(base, query, body)
    }
    let altered = query.content == .records ? alterations.fetch : alterations.read
    guard let records = try altered?(base, query) else { return try base.read(query, body) }
    try read(records: records, body)
  }

  func select(
    _ selection: StoreSelection,
    _ body: ([StoreValue]) throws -> Void
  ) throws {
    try base.select(alterations.select?(selection) ?? selection, body)
  }

  func members(
    of property: String,
    in entity: String,
    owners: [PersistentIdentifier],
    wantsRows: Bool,
    _ body: (_ owner: Int64, RowReader) throws -> Void
  ) throws -> StoreMembers {
    if let members = alterations.members {
      return .listed(try members(base, property, entity, owners))
    }
    // Rows are then read one by one, as altered.
    let wantsRows = wantsRows && alterations.read == nil
    if wantsRows, let change = alterations.memberRows {
      return try change(base, property, entity, owners, body)
    }
    return try base.members(of: property, in: entity, owners: owners, wantsRows: wantsRows, body)
  }

  func readingOneState(_ body: () throws -> Void) throws {
    guard let change = alterations.oneState else { return try base.readingOneState(body) }
    try change(base, body)
  }

  func nextKey() throws -> Int64? { try alterations.nextKey?(base) ?? base.nextKey() }

  func apply(_ changes: StoreChanges) throws -> StoreChangesResult {
    try alterations.apply?(base, changes) ?? base.apply(changes)
  }

  func watch() throws -> (any StoreWatch)? {
    guard let watch = alterations.watch else { return try base.watch() }
    return try watch(base)
  }

  var latestSave: Int64? { alterations.latestSave?(base) ?? base.latestSave }

  func close() throws {
    guard let close = alterations.close else { return try base.close() }
    try close(base)
  }

  func erase() throws {
    guard let erase = alterations.erase else { return try base.erase() }
    try erase(base)
  }
}

/// The alterations of a store; `nil` forwards a request to the wrapped store.
struct Alterations: Sendable {
  var identifier: (@Sendable (any RecordStore) -> String)?
  var capabilities: (@Sendable (StoreCapabilities) -> StoreCapabilities)?
  /// Replaces the schema with which the wrapped store is opened.
  var schema: (@Sendable (Schema?) throws -> Schema?)?
  var fetch: (@Sendable (any RecordStore, StoreQuery) throws -> [DefaultSnapshot]?)?
  var count: (@Sendable (any RecordStore, StoreQuery) throws -> Int?)?
  var identifiers: (@Sendable (any RecordStore, StoreQuery) throws -> [PersistentIdentifier]?)?
  var read: (@Sendable (any RecordStore, StoreQuery) throws -> [DefaultSnapshot]?)?
  var select: (@Sendable (StoreSelection) -> StoreSelection)?
  var members:
    (
      @Sendable (any RecordStore, String, String, [PersistentIdentifier]) throws
        -> [PersistentIdentifier: [PersistentIdentifier]]
    )?
  var memberRows:
    (
      @Sendable (
        any RecordStore, String, String, [PersistentIdentifier],
        _ body: (Int64, RowReader) throws -> Void
      ) throws -> StoreMembers
    )?
  /// Reads single rows.
  var row: Saboteur.RowRead?
  var oneState: (@Sendable (any RecordStore, _ body: () throws -> Void) throws -> Void)?
  var apply: (@Sendable (any RecordStore, StoreChanges) throws -> StoreChangesResult)?
  var nextKey: (@Sendable (any RecordStore) throws -> Int64?)?
  var close: (@Sendable (any RecordStore) throws -> Void)?
  var watch: (@Sendable (any RecordStore) throws -> (any StoreWatch)?)?
  var latestSave: (@Sendable (any RecordStore) -> Int64?)?
  var erase: (@Sendable (any RecordStore) throws -> Void)?
  var transactions:
    (@Sendable (any HistoryKeeping, StoreHistoryQuery) throws -> [StoreTransaction]?)?
  var deleteTransactions: (@Sendable (any HistoryKeeping, StoreHistoryFilter?) throws -> Void)?
  var historyBounds: (@Sendable (HistoryBounds) -> HistoryBounds)?
  var saveIdentifier: (@Sendable (any HistoryKeeping, Int64) throws -> UUID?)?
  var historyReaders: (@Sendable ([HistoryReaderPosition]) -> [HistoryReaderPosition])?
  var setHistoryReader: (@Sendable (any HistoryKeeping, HistoryReaderPosition) throws -> Void)?
  var removeHistoryReader: (@Sendable (any HistoryKeeping, String) throws -> Void)?
}

/// The configuration of a store that wraps another.
struct AlteredStoreConfiguration: DataStoreConfiguration, Sendable {
  typealias Store = AlteredStore

  /// An object that distinguishes configurations.
  private final class Identity: Sendable {}

  let alterations: Alterations
  let openBase: @Sendable (Schema?) throws -> any RecordStore
  var schema: Schema?
  let name = "altered"
  private let identity = Identity()

  /// Creates a configuration.
  ///
  /// - Parameters:
  ///   - alterations: The alterations of the store.
  ///   - schema: The models.
  ///   - openBase: A function that opens the wrapped store.
  init(
    _ alterations: Alterations,
    schema: Schema?,
    openBase: @escaping @Sendable (Schema?) throws -> any RecordStore
  ) {
    self.alterations = alterations
    self.schema = schema
    self.openBase = { try openBase(try alterations.schema?($0) ?? $0) }
  }

  static func == (lhs: Self, rhs: Self) -> Bool { lhs.identity === rhs.identity }

  func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(identity)) }
}
