import ComposableStores
import OpenSwiftData
import Synchronization

/// A store that writes down what it is asked.
///
/// Where its configuration says so, it leaves out of rows what it was not asked for by name, as a
/// store may.
final class WatchedStore<Base: RecordStore>: InterceptingStore {
  typealias Configuration = WatchedStoreConfiguration<Base.Configuration>
  typealias Snapshot = DefaultSnapshot

  let configuration: Configuration
  let base: Base

  init(
    _ configuration: Configuration,
    migrationPlan: (any SchemaMigrationPlan.Type)? = nil
  ) throws {
    self.configuration = configuration
    base = try Base(configuration.base, migrationPlan: migrationPlan)
  }

  func perform<Value>(
    _ request: StoreRequest,
    _ body: () throws -> (value: Value, rows: Int)
  ) throws -> Value {
    try configuration.log.note(request)
    return try body().value
  }

  func read(
    _ query: StoreQuery,
    _ body: (RowReader) throws -> Void
  ) throws {
    try perform(StoreRequest(reading: query)) {
      let wanted = query.properties.map(Set.init)
      try base.read(query) { reader in
        let given: RowReader =
          configuration.leavesOut && query.content == .values
          ? LeavingReader(reader, wanted: wanted) : reader
        try body(given)
      }
      return ((), 0)
    }
  }
}

/// The description of a store that is watched; copies share one log.
struct WatchedStoreConfiguration<Below: DataStoreConfiguration>: WrappingConfiguration
where Below.Store: RecordStore {
  typealias Store = WatchedStore<Below.Store>

  var base: Below
  /// What the store was asked.
  let log: StoreLog
  /// Whether the store leaves out what is not asked for by name.
  var leavesOut = false
}

/// What a watched store was asked, shared with the test.
final class StoreLog: Sendable {
  private struct State {
    var calls: [String] = []
    var queries: [StoreQuery] = []
    var changes: [StoreChanges] = []
    var ownerCount = 0
    var failures: [any Error] = []
  }

  private let state = Mutex(State())

  /// The names of the calls so far, saves left out.
  var calls: [String] { state.withLock { $0.calls } }
  /// What the calls asked for; for members the entity and the property.
  var queries: [StoreQuery] { state.withLock { $0.queries } }
  /// The number of objects whose related objects were requested, each time counted.
  var ownerCount: Int { state.withLock { $0.ownerCount } }
  /// What was saved.
  var changes: [StoreChanges] { state.withLock { $0.changes } }

  /// Forgets what was asked so far.
  func clear() { state.withLock { $0 = State() } }

  /// Has the next question throw.
  func fail(with error: any Error) { state.withLock { $0.failures.append(error) } }

  func note(_ request: StoreRequest) throws {
    try state.withLock { state in
      if case .save(let changes) = request { return state.changes.append(changes.recorded) }
      if case .members(_, _, let owners) = request { state.ownerCount += owners.count }
      guard let query = request.askedQuery else { return }
      state.calls.append(request.kind.rawValue)
      state.queries.append(query)
      if !state.failures.isEmpty { throw state.failures.removeFirst() }
    }
  }
}

extension StoreRequest {
  /// The query, and for members one that names the entity and the property.
  fileprivate var askedQuery: StoreQuery? {
    guard case .members(let property, let entity, _) = self else { return query }
    return StoreQuery(entity: entity, properties: [property])
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
    identifier = base.identifier
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
