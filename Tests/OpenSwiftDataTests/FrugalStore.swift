import Foundation
import OpenSwiftData
import Synchronization

/// A store that does less than it is asked, in one of several ways, over a store in memory.
final class FrugalStore: RecordStore {
  /// What the store leaves to the layer above.
  enum Thrift: String, CaseIterable, Sendable {
    /// Of conditions that must all hold it takes the first, and no order.
    case takesFirstCondition
    /// It takes every filter and no order.
    case takesNoOrder
    /// It takes no filter, and every order.
    case takesNoFilter
  }

  struct Configuration: DataStoreConfiguration {
    typealias Store = FrugalStore
    let name = "frugal"
    var schema: Schema?
    let thrift: Thrift
    let asked = Asked()

    static func == (lhs: Self, rhs: Self) -> Bool { lhs.asked === rhs.asked }
    func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(asked)) }
  }

  /// The fetches that got through to the rows.
  final class Asked: Sendable {
    private let queries = Mutex<[StoreQuery]>([])

    var all: [StoreQuery] { queries.withLock { $0 } }
    func note(_ query: StoreQuery) { queries.withLock { $0.append(query) } }
    func clear() { queries.withLock { $0 = [] } }
  }

  typealias Snapshot = DefaultSnapshot

  let configuration: Configuration
  let schema: Schema
  private let base: MemoryStore

  init(_ configuration: Configuration, migrationPlan: (any SchemaMigrationPlan.Type)?) throws {
    base = try MemoryStore(MemoryStoreConfiguration(schema: configuration.schema))
    self.configuration = configuration
    schema = base.schema
  }

  var identifier: String { base.identifier }

  /// Neither filters nor orders are called native; what is taken is said by `plan`.
  var capabilities: StoreCapabilities {
    var capabilities = base.capabilities
    capabilities.filtering = .emulated
    capabilities.sorting = .emulated
    return capabilities
  }

  func plan(_ request: StorePlan.Request, explained: Bool) throws -> StorePlan {
    if case .change = request { return StorePlan(noneOf: request) }
    let query = request.query
    if query.identifiers != nil { return StorePlan(allOf: request) }
    switch configuration.thrift {
    case .takesFirstCondition:
      guard case .and(let parts) = query.filter else { break }
      return StorePlan(
        filter: parts[0],
        remaining: .and(Array(parts.dropFirst())),
        sorts: false
      )
    case .takesNoOrder:
      return StorePlan(filter: query.filter, remaining: nil, sorts: query.sort.isEmpty)
    case .takesNoFilter:
      return StorePlan(filter: nil, remaining: query.filter, sorts: true)
    }
    return StorePlan(allOf: request)
  }

  func read(_ query: StoreQuery, _ body: (RowReader) throws -> Void) throws {
    guard try plan(.query(query)).isComplete else { throw DataStoreError.unsupportedFeature }
    if query.identifiers == nil { configuration.asked.note(query) }
    try base.read(query, body)
  }

  func apply(_ changes: StoreChanges) throws -> StoreChangesResult { try base.apply(changes) }

  func erase() throws { try base.erase() }
}

/// A store as one writes it for SwiftData, which notes what it is asked.
final class AskedStore: DataStore {
  struct Configuration: DataStoreConfiguration {
    typealias Store = AskedStore
    let name = "asked"
    var schema: Schema?
    var refusesPredicates = false
    var refusesOrders = false
    let asked = Asked()

    static func == (lhs: Self, rhs: Self) -> Bool { lhs.asked === rhs.asked }
    func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(asked)) }
  }

  /// The descriptors of the fetches that succeeded.
  final class Asked: Sendable {
    private let fetches = Mutex<[String]>([])

    var all: [String] { fetches.withLock { $0 } }
    func note(_ fetch: String) { fetches.withLock { $0.append(fetch) } }
    func clear() { fetches.withLock { $0 = [] } }
  }

  typealias Snapshot = DefaultSnapshot

  let configuration: Configuration
  let schema: Schema
  let identifier = "asked"
  private var rows: [DefaultSnapshot] = []

  init(_ configuration: Configuration, migrationPlan: (any SchemaMigrationPlan.Type)?) throws {
    self.configuration = configuration
    schema = configuration.schema ?? Schema()
  }

  /// Gives all rows, whatever is asked, as the store of WWDC24's session 10138 does.
  func fetch<T>(
    _ request: DataStoreFetchRequest<T>
  ) throws -> DataStoreFetchResult<T, DefaultSnapshot> where T: PersistentModel {
    let descriptor = request.descriptor
    if configuration.refusesPredicates, descriptor.predicate != nil {
      throw DataStoreError.preferInMemoryFilter
    }
    if configuration.refusesOrders, !descriptor.sortBy.isEmpty {
      throw DataStoreError.preferInMemorySort
    }
    let window = "\(descriptor.fetchLimit ?? -1) \(descriptor.fetchOffset ?? 0)"
    configuration.asked.note(
      "\(descriptor.predicate != nil) \(descriptor.sortBy.count) \(window)"
    )
    return DataStoreFetchResult(descriptor: descriptor, fetchedSnapshots: rows)
  }

  func save(
    _ request: DataStoreSaveChangesRequest<DefaultSnapshot>
  ) throws -> DataStoreSaveChangesResult<DefaultSnapshot> {
    var remapped: [PersistentIdentifier: PersistentIdentifier] = [:]
    for snapshot in request.inserted {
      remapped[snapshot.persistentIdentifier] = try .identifier(
        for: identifier,
        entityName: snapshot.persistentIdentifier.entityName,
        primaryKey: rows.count + remapped.count
      )
    }
    for snapshot in request.inserted {
      guard let permanent = remapped[snapshot.persistentIdentifier] else { continue }
      rows.append(
        snapshot.copy(persistentIdentifier: permanent, remappedIdentifiers: remapped)
      )
    }
    let deleted = Set(request.deleted.map(\.persistentIdentifier))
    rows.removeAll { deleted.contains($0.persistentIdentifier) }
    return DataStoreSaveChangesResult(for: identifier, remappedIdentifiers: remapped)
  }
}
