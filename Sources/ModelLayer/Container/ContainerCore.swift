import Foundation
import StoreProtocol
import Synchronization

/// The state that the contexts of a container share, and keep alive without the container itself.
final class ContainerCore: Sendable {
  /// The models.
  let schema: Schema
  /// The plan that migrates older data to the schema.
  let migrationPlan: (any SchemaMigrationPlan.Type)?
  /// The opened stores.
  let stores: ContainerStores
  /// The saves to the stores.
  let saves: SaveFeed
  /// The roots of the entities to which required relationships without an inverse refer.
  let requiredRoots: Set<String>
  /// The bodies of `performBackgroundTask`.
  let backgroundTasks: BackgroundTaskQueue
  /// The configurations as they were given.
  // Unsafe: SwiftData's protocol does not require configurations to be Sendable. They are kept as
  // they were given and returned as copies; a container never changes them.
  nonisolated(unsafe) let configurations: [any DataStoreConfiguration]
  private let entities = Mutex<[ObjectIdentifier: EntityFacts]>([:])

  /// Creates the state of a container with opened stores.
  init(
    schema: Schema,
    migrationPlan: (any SchemaMigrationPlan.Type)?,
    stores: ContainerStores,
    configurations: [any DataStoreConfiguration]
  ) {
    self.schema = schema
    self.migrationPlan = migrationPlan
    self.configurations = configurations
    self.stores = stores
    let stored = schema.storeSchema
    let required = stored.entities.flatMap(\.properties).filter(\.isRequiredOneWay)
    requiredRoots = Set(
      required.compactMap(\.relationship).compactMap { stored.entity(named: $0.destination)?.root }
    )
    saves = SaveFeed(stores.all, stored) { store in
      NotificationCenter.default.post(
        name: ModelContainer.remoteChange,
        object: nil,
        userInfo: [ModelContainer.storeIdentifierKey: store]
      )
    }
    let isRemote = stores.all.contains { $0.capabilities.isRemote }
    backgroundTasks = BackgroundTaskQueue(patience: isRemote ? nil : .milliseconds(20))
  }

  /// Returns the facts about a model type, or `nil` if the schema lacks the type.
  func facts(of type: any PersistentModel.Type) -> EntityFacts? {
    let key = ObjectIdentifier(type)
    if let cached = entities.withLock({ $0[key] }) { return cached }
    guard let made = EntityFacts(of: type, schema, stores) else { return nil }
    entities.withLock { $0[key] = made }
    return made
  }

  /// Returns the store that has an entity.
  ///
  /// - Throws: ``DataStoreError/schemaMismatch`` if no store of the container has it.
  func store(keeping entity: String) throws -> any RecordStore {
    guard let store = stores.byEntity[entity] else {
      throw DataStoreError(
        .schemaMismatch,
        "no store of the container has this entity",
        entity: entity
      )
    }
    return store
  }
}

extension StoreProperty {
  /// Whether the property is a required relationship whose other end does not know of it.
  var isRequiredOneWay: Bool {
    isToOne && !isOptional && relationship.map { $0.inverse == nil } == true
  }
}
