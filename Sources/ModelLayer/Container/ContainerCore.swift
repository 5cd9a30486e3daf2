import StoreProtocol
import Synchronization

/// The state that the contexts of a container share, and keep alive without the container itself.
final class ContainerCore: Sendable {
  /// The models.
  let schema: Schema
  /// The plan that migrates older data to the schema.
  let migrationPlan: (any SchemaMigrationPlan.Type)?
  /// The opened stores.
  let backends: Backends
  /// The count of saves so far.
  let changes: ContainerChanges
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
    backends: Backends,
    configurations: [any DataStoreConfiguration]
  ) {
    self.schema = schema
    self.migrationPlan = migrationPlan
    self.configurations = configurations
    self.backends = backends
    let isRemote = backends.all.contains { $0.capabilities.isRemote }
    backgroundTasks = BackgroundTaskQueue(patience: isRemote ? nil : .milliseconds(20))
    let core = WeakCore()
    changes = ContainerChanges(
      OtherProcesses(backends.all) { core.value?.noteSaves($1, to: $0) },
      schema.storeSchema
    )
    core.set(self)
  }

  /// Returns the facts about a model type, or `nil` if the schema lacks the type.
  func facts(of type: any PersistentModel.Type) -> EntityFacts? {
    let key = ObjectIdentifier(type)
    if let cached = entities.withLock({ $0[key] }) { return cached }
    guard let made = EntityFacts(of: type, schema, backends) else { return nil }
    entities.withLock { $0[key] = made }
    return made
  }

  /// Returns the backend of the store that has an entity.
  ///
  /// - Throws: ``DataStoreError/schemaMismatch`` if no store of the container has it.
  func backend(keeping entity: String) throws -> any StoreBackend {
    guard let backend = backends.byEntity[entity] else {
      throw DataStoreError(
        .schemaMismatch,
        "no store of the container has this entity",
        entity: entity
      )
    }
    return backend
  }
}

/// A weak reference to a container for the parts that it owns, set once it is created.
private final class WeakCore: Sendable {
  private struct Reference {
    weak var core: ContainerCore?
  }

  private let reference = Mutex(Reference())

  /// The container, or `nil` after its end.
  var value: ContainerCore? { reference.withLock { $0.core } }

  func set(_ core: ContainerCore) { reference.withLock { $0.core = core } }
}
