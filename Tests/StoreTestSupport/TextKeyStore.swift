import MemoryStore
import ModelLayer

/// A store in memory whose keys are texts, like those of a store that was written for SwiftData and
/// uses UUIDs.
public final class TextKeyStore: RecordStore {
  /// The configuration of a store of its own.
  public struct Configuration: DataStoreConfiguration, Sendable {
    /// The store that it opens.
    public typealias Store = TextKeyStore
    /// A name for messages.
    public let name = "text keys"
    /// The models.
    public var schema: Schema?
    fileprivate let base = MemoryStoreConfiguration()

    /// Creates the configuration of an empty store.
    public init() {}

    /// Whether both name the same store.
    public static func == (lhs: Self, rhs: Self) -> Bool { lhs.base == rhs.base }

    /// Feeds the identity of the store into a hasher.
    public func hash(into hasher: inout Hasher) { hasher.combine(base) }
  }

  /// The records in which the store deals.
  public typealias Snapshot = DefaultSnapshot

  /// The configuration that the store was made from.
  public let configuration: Configuration
  private let base: MemoryStore

  /// Opens the store of a configuration.
  public init(_ configuration: Configuration, migrationPlan: (any SchemaMigrationPlan.Type)?) throws
  {
    var below = configuration.base
    below.schema = configuration.schema
    base = try MemoryStore(below, migrationPlan: migrationPlan)
    self.configuration = configuration
  }

  public var schema: Schema { base.schema }
  public var identifier: String { base.identifier }

  /// The rows are filtered and sorted above the store, since filters contain keys.
  public var capabilities: StoreCapabilities {
    var capabilities = base.capabilities
    capabilities.filtering = .emulated
    capabilities.sorting = .emulated
    capabilities.history = .unsupported("its keys would be numbers")
    return capabilities
  }

  public func read(_ query: StoreQuery, _ body: (RowReader) throws -> Void) throws {
    guard try plan(.query(query)).isComplete else { throw DataStoreError.unsupportedFeature }
    var query = query
    if let rows = query.identifiers {
      query.filter = StoreQuery.rows(rows.map(\.numbered), of: query.entity).filter
    }
    let records = try base.fetch(query).map { record in
      var record = record.copy(persistentIdentifier: record.persistentIdentifier.named)
      for index in record.values.indices {
        record.values[index] = record.values[index].mapping(\.named)
      }
      return record
    }
    try read(records: records, body)
  }

  public func apply(_ changes: StoreChanges) throws -> StoreChangesResult {
    try check(changes)
    var below = changes
    below.inserted = changes.inserted.map { record in
      var record = record
      record.values = record.values.map { $0.mapping(\.numbered) }
      return record
    }
    below.updated = changes.updated.map { update in
      StoreUpdate(
        identifier: update.identifier.numbered,
        changes: update.changes.map { .init($0.index, $0.value.mapping(\.numbered)) }
      )
    }
    below.deleted = changes.deleted.map(\.numbered)
    (below.cascaded, below.cleared) = ([], [:])
    below.expectedVersions = [:]
    for (row, version) in changes.expectedVersions {
      below.expectedVersions[row.numbered] = version
    }
    var result = try naming { try base.apply(below) }
    result.remapped = result.remapped.mapValues(\.named)
    result.changedByStore = result.changedByStore.map(\.named)
    return result
  }

  public func erase() throws { try base.erase() }

  /// Runs a request of the store below, whose errors name rows by numbers.
  private func naming<Result>(_ body: () throws -> Result) throws -> Result {
    do {
      return try body()
    } catch let error as DataStoreError {
      throw DataStoreError(
        error,
        error.message,
        entity: error.entity,
        property: error.property,
        identifiers: error.identifiers.map(\.named),
        cause: error.cause
      )
    }
  }
}

extension PersistentIdentifier {
  /// The identifier with a text for the row's number.
  fileprivate var named: PersistentIdentifier {
    guard case .integer(let number) = key else { return self }
    let digits = String(number)
    let zeros = String(repeating: "0", count: max(0, 12 - digits.count))
    return PersistentIdentifier(scope: scope, key: .text("row \(zeros)\(digits)"))
  }

  /// The identifier with the row's number for its text.
  fileprivate var numbered: PersistentIdentifier {
    guard case .text(let name) = key, let number = Int64(name.dropFirst(4)) else { return self }
    return PersistentIdentifier(scope: scope, key: .integer(number))
  }
}

extension StoreValue {
  /// The value with other identifiers.
  fileprivate func mapping(
    _ identifier: (PersistentIdentifier) -> PersistentIdentifier
  ) -> StoreValue {
    switch self {
    case .identifier(let own): .identifier(identifier(own))
    case .identifiers(let own): .identifiers(own.map(identifier))
    default: self
    }
  }
}
