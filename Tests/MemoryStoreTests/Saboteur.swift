import MemoryStore
import StoreConformance
import StoreProtocol
import Synchronization

/// A good store with one thing broken on purpose, to prove that rules can fail.
final class Saboteur: RecordStore {
  typealias Configuration = SaboteurConfiguration
  typealias Snapshot = DefaultSnapshot

  let configuration: SaboteurConfiguration
  private let base: MemoryStore
  private let freed = Mutex<[PersistentIdentifier]>([])

  init(
    _ configuration: SaboteurConfiguration,
    migrationPlan: (any SchemaMigrationPlan.Type)? = nil
  ) throws {
    self.configuration = configuration
    base = try MemoryStore(configuration.base)
  }

  var identifier: String { base.identifier }
  var schema: Schema { base.schema }
  var capabilities: StoreCapabilities { base.capabilities }

  func fetch(_ query: StoreQuery) throws -> [DefaultSnapshot] {
    var query = query
    if configuration.sabotage == .ignoresOffset { query.offset = 0 }
    return try base.fetch(query)
  }

  func members(
    of property: String,
    in entity: String,
    owners: [PersistentIdentifier]
  ) throws -> [PersistentIdentifier: [PersistentIdentifier]] {
    try base.members(of: property, in: entity, owners: owners)
  }

  func apply(_ changes: StoreChanges) throws -> StoreChangesResult {
    switch configuration.sabotage {
    case .ignoresOffset: try base.apply(changes)
    case .losesLastChange: try base.apply(changes.withoutLast())
    case .reusesIdentifiers: try reusing(changes)
    case .ignoresVersions: try base.apply(changes.withoutVersions())
    }
  }

  func erase() throws { try base.erase() }

  /// Gives the identifier of a deleted row to a new one, as a store does that counts its rows.
  private func reusing(_ changes: StoreChanges) throws -> StoreChangesResult {
    var result = try base.apply(changes)
    freed.withLock { freed in
      for (temporary, permanent) in result.remapped {
        if let old = freed.firstIndex(where: { $0.entityName == permanent.entityName }) {
          result.remapped[temporary] = freed.remove(at: old)
        }
      }
      freed += changes.deleted
    }
    return result
  }
}

extension StoreChanges {
  /// The changes as one makes them who looks at no version.
  fileprivate func withoutVersions() -> StoreChanges {
    var changes = self
    changes.expectedVersions = [:]
    return changes
  }

  /// The changes but for the last one, of which the store says nothing.
  fileprivate func withoutLast() -> StoreChanges {
    var changes = self
    if changes.updated.popLast() == nil { _ = changes.deleted.popLast() }
    return changes
  }
}

struct SaboteurConfiguration: DataStoreConfiguration, Sendable {
  typealias Store = Saboteur

  enum Sabotage: String, CaseIterable, Sendable {
    case ignoresOffset, losesLastChange, reusesIdentifiers, ignoresVersions
  }

  let sabotage: Sabotage
  var base: MemoryStoreConfiguration
  var name: String { sabotage.rawValue }
  var schema: Schema? {
    get { base.schema }
    set { base.schema = newValue }
  }
}

struct SaboteurFixture: StoreFixture {
  let sabotage: SaboteurConfiguration.Sabotage

  func makePlace() -> SaboteurConfiguration {
    SaboteurConfiguration(sabotage: sabotage, base: MemoryStoreConfiguration())
  }

  func open(_ place: SaboteurConfiguration, schema: Schema?) throws -> Saboteur {
    var configuration = place
    configuration.schema = schema
    return try Saboteur(configuration)
  }

  func destroy(_ place: SaboteurConfiguration) {}
}
