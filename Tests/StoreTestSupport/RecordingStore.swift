import QueryEvaluation
import StoreProtocol

/// A store that returns the responses of a test and records the calls that it receives.
public final class RecordingStore: RecordStore {
  /// The configuration that describes such a store.
  public typealias Configuration = RecordingStoreConfiguration
  /// The records in which the store deals.
  public typealias Snapshot = DefaultSnapshot

  /// One call of a requirement.
  public enum Call: Sendable {
    /// A fetch.
    case fetch(StoreQuery)
    /// A count.
    case count(StoreQuery)
    /// A fetch of identifiers.
    case identifiers(StoreQuery)
    /// A question for the members of a relationship.
    case members(property: String, entity: String, owners: [PersistentIdentifier])
    /// A save.
    case apply(StoreChanges)
    /// The removal of all data.
    case erase
  }

  /// The models that the store pretends to hold.
  public let schema: Schema
  /// The configuration that the store was made from.
  public let configuration: RecordingStoreConfiguration
  /// The name of the store in identifiers.
  public let identifier = "recording"
  private var script: RecordingScript { configuration.script }

  /// Creates a store that follows the script of its configuration.
  public init(
    _ configuration: RecordingStoreConfiguration,
    migrationPlan: (any SchemaMigrationPlan.Type)? = nil
  ) throws {
    self.configuration = configuration
    schema = configuration.schema ?? Schema()
  }

  public var capabilities: StoreCapabilities { script.capabilities }

  public func read(_ query: StoreQuery, _ body: (RowReader) throws -> Void) throws {
    // The name of a call has the content already.
    var plain = query
    plain.content = .values
    let call = query.content == .identifiers ? Call.identifiers(plain) : .fetch(plain)
    try read(records: script.respond(to: call) { $0 }, body)
  }

  public func count(_ query: StoreQuery) throws -> Int {
    try script.respond(to: .count(query)) { $0.count }
  }

  public func members(
    of property: String,
    in entity: String,
    owners: [PersistentIdentifier],
    wantsRows: Bool,
    _ body: (_ owner: Int64, RowReader) throws -> Void
  ) throws -> StoreMembers {
    let call = Call.members(
      property: property,
      entity: entity,
      owners: owners
    )
    return try script.respond(to: call) { records in
      .listed(
        records.reduce(into: [:]) { result, record in
          guard case .identifiers(let list) = record[property] else { return }
          result[record.persistentIdentifier] = list
        }
      )
    }
  }

  public func apply(_ changes: StoreChanges) throws -> StoreChangesResult {
    // Objects may have changed when a test looks at the call.
    let changes = changes.recorded
    return try script.respond(to: .apply(changes)) { _ in
      var result = StoreChangesResult()
      for record in changes.inserted {
        let scope = PersistentIdentifier.Scope(
          storeIdentifier: identifier,
          entityName: record.persistentIdentifier.entityName
        )
        result.remapped[record.persistentIdentifier] = PersistentIdentifier(
          scope: scope,
          key: .integer(script.nextKey())
        )
      }
      return result
    }
  }

  public func erase() throws { try script.respond(to: .erase) { _ in } }
}
