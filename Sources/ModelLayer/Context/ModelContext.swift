import Foundation
import StoreProtocol

/// The objects that one task works with: it fetches them, follows their changes and saves them.
///
/// Within a context there is one object for each identity. A context and its objects belong to one
/// isolation; take another context for another task, and pass identifiers between them.
public final class ModelContext: Equatable {
  let core: ContainerCore
  private weak var givenContainer: ModelContainer?
  /// The identity of the context and the author of its changes, as stores and history see them.
  public var editingState: EditingState
  /// Whether changes are saved without being asked to; true for a container's main context.
  public var autosaveEnabled = false

  private var registrations: [ObjectIdentifier: EntityRegistration] = [:]
  private var identityMaps: [String: IdentityMap] = [:]
  var pending = PendingChanges()
  /// What went wrong where nothing could be thrown; the next save throws the first of it.
  var problems: [SwiftDataError] = []
  /// The number of the container's saves that this context has taken in.
  var seenGeneration: UInt64 = 0
  /// Saves without being asked to, where that is enabled.
  let autosave = Autosave()
  /// The number of registered objects at which unused ones are let go.
  private var evictionThreshold = 20_000
  private(set) var registeredCount = 0

  /// Creates a context for a container.
  public init(_ container: ModelContainer) {
    core = container.core
    givenContainer = container
    editingState = EditingState()
    seenGeneration = container.core.changes.generation
    for backend in core.backends.all { backend.initializeState(for: editingState) }
  }

  deinit {
    for map in identityMaps.values { ModelContext.release(map.models) }
    ModelContext.release(pending.all)
    for backend in core.backends.all { backend.invalidateState(for: editingState) }
  }

  /// The container.
  public var container: ModelContainer {
    if let givenContainer { return givenContainer }
    let container = ModelContainer(core: core)
    givenContainer = container
    return container
  }

  /// Who makes the changes of this context, as history will say.
  public var author: String? {
    get { editingState.author }
    set { editingState.author = newValue }
  }

  /// Compares contexts by identity.
  public static func == (lhs: ModelContext, rhs: ModelContext) -> Bool { lhs === rhs }

  /// The place of objects of a model type, nil where the schema lacks the type.
  func registration(for type: any PersistentModel.Type) -> EntityRegistration? {
    if let known = registrations[ObjectIdentifier(type)] { return known }
    let layout = ModelLayout.of(type)
    guard
      let entity = core.schema.storeSchema.entity(named: layout.entityName),
      core.schema.modelTypes[layout.entityName] == type,
      let backend = core.backends.backend(for: layout.entityName),
      let root = core.schema.modelTypes[entity.root]
    else { return nil }
    let made = EntityRegistration(
      context: self,
      entity: entity,
      layout: layout,
      backend: backend,
      identityMap: identityMap(for: root, named: entity.root)
    )
    registrations[ObjectIdentifier(type)] = made
    return made
  }

  /// The place of objects of an entity, nil where the schema lacks it.
  func registration(named entity: String) -> EntityRegistration? {
    core.schema.modelTypes[entity].flatMap(registration(for:))
  }

  private func identityMap(
    for root: any PersistentModel.Type,
    named name: String
  ) -> IdentityMap {
    if let known = identityMaps[name] { return known }
    let made = IdentityMap.make(for: root)
    identityMaps[name] = made
    return made
  }

  /// The identity maps of all hierarchies that the context has met.
  var allIdentityMaps: [IdentityMap] { Array(identityMaps.values) }

  /// Puts a saved object under its key.
  func register(
    _ model: any PersistentModel,
    key: PersistentIdentifier.Key,
    in registration: EntityRegistration
  ) {
    registration.identityMap.register(model, for: key)
    registeredCount += 1
  }

  /// Lets go of unused objects when their number has doubled since the last time.
  func evictIfCrowded() {
    guard registeredCount > evictionThreshold else { return }
    evictUnused()
    evictionThreshold = max(20_000, registeredCount * 2)
  }

  /// Lets go of saved, unchanged objects that the program no longer holds.
  ///
  /// The context does this by itself when the number of its objects has doubled; call it to have
  /// the memory back sooner. Objects that the program still holds stay as they are, but load the
  /// objects of their relationships again when these are next read.
  public func evictUnused() {
    for map in identityMaps.values {
      for model in map.models where !model.isNeededByContext { model.foldRelationships() }
    }
    for map in identityMaps.values { map.evictUnused { $0.isNeededByContext } }
    registeredCount = identityMaps.values.reduce(0) { $0 + $1.count }
  }

  /// Leaves objects behind without a context, each with its last known values.
  private static func release(_ models: [any PersistentModel]) {
    for model in models { model.detach() }
    for model in models { model.foldRelationships() }
  }
}

extension ModelContext: CustomDebugStringConvertible {
  /// The numbers of registered and of changed objects.
  public var debugDescription: String {
    "ModelContext: \(registeredCount) registered, \(pending.inserted.count) inserted, "
      + "\(pending.changed.count) changed, \(pending.deleted.count) deleted"
  }
}
