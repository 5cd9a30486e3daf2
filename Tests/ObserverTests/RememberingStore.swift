import Foundation
import OpenSwiftData
import Synchronization

/// A store in memory that remembers its saves, the plainest way.
final class RememberingStore: RecordStore, HistoryProviding {
  typealias Configuration = RememberingStoreConfiguration
  typealias Snapshot = DefaultSnapshot
  typealias HistoryType = DefaultHistoryTransaction

  let configuration: RememberingStoreConfiguration
  private let base: MemoryStore
  private let log = Mutex(Log())

  init(
    _ configuration: RememberingStoreConfiguration,
    migrationPlan: (any SchemaMigrationPlan.Type)?
  ) throws {
    self.configuration = configuration
    var plain = MemoryStoreConfiguration(configuration.name)
    plain.schema = configuration.schema
    base = try MemoryStore(plain, migrationPlan: nil)
  }

  var identifier: String { base.identifier }
  var schema: Schema { base.schema }
  var capabilities: StoreCapabilities {
    var capabilities = base.capabilities
    capabilities.history = .native
    return capabilities
  }

  func read(_ query: StoreQuery, _ body: (RowReader) throws -> Void) throws {
    try base.read(query, body)
  }

  func erase() throws { try base.erase() }

  func outcome(ofSave identifier: UUID) throws -> SaveOutcome {
    try base.outcome(ofSave: identifier)
  }

  func apply(_ changes: StoreChanges) throws -> StoreChangesResult {
    let changes = changes.recorded
    let result = try base.apply(changes)
    let builder = HistoryBuilder(schema: schema, store: identifier)
    log.withLock { $0.add(changes, result, builder) }
    return result
  }

  func fetchHistory(
    _ descriptor: HistoryDescriptor<DefaultHistoryTransaction>
  ) throws -> [DefaultHistoryTransaction] {
    let (all, last) = log.withLock { ($0.transactions, $0.last) }
    if all.isEmpty, last > 0 { throw SwiftDataError.historyTokenExpired }
    let found = try all.filter { try descriptor.predicate?.evaluate($0) ?? true }
      .sorted(using: descriptor.sortBy)
    return descriptor.fetchLimit == 0 ? found : Array(found.prefix(Int(descriptor.fetchLimit)))
  }

  func deleteHistory(_ descriptor: HistoryDescriptor<DefaultHistoryTransaction>) throws {
    log.withLock { $0.transactions = [] }
  }
}

/// The description of a remembering store.
struct RememberingStoreConfiguration: DataStoreConfiguration, Sendable {
  typealias Store = RememberingStore

  let name = "remembering"
  var schema: Schema?

  static func == (lhs: Self, rhs: Self) -> Bool { lhs.schema == rhs.schema }

  func hash(into hasher: inout Hasher) { hasher.combine(name) }
}

/// What a remembering store remembers.
private struct Log {
  var transactions: [DefaultHistoryTransaction] = []
  var last: Int64 = 0

  mutating func add(
    _ changes: StoreChanges,
    _ result: StoreChangesResult,
    _ builder: HistoryBuilder
  ) {
    last += 1
    let inserted = changes.inserted.compactMap { result.remapped[$0.persistentIdentifier] }
    let plain = StoreTransaction(
      number: last,
      saveIdentifier: changes.saveIdentifier,
      timestamp: Date(timeIntervalSince1970: Double(last)),
      author: changes.editingState.author,
      changes: inserted.map { StoreChange(.insert, $0) }
        + changes.updated.map { StoreChange(.update, $0.identifier) }
    )
    transactions.append(builder.transaction(plain))
  }
}
