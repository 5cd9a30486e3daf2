import StoreProtocol

/// The registered objects of one context, and the registrations of their entities.
///
/// While the program holds the context, it keeps all of them. Afterwards it finds those that
/// something else keeps.
final class RegisteredObjects {
  /// Whether the program holds the context.
  private(set) var isHeld = true
  /// Whether objects report each change, not only the first of a property.
  var recordsChanges = false
  /// The registrations of objects while the program holds the context.
  ///
  /// The references are not weak: after the first weak reference to an object, all others to it
  /// cost more, and each model has one to its registration.
  private var registrations: [ObjectIdentifier: EntityRegistration] = [:]
  /// The registration that was requested last, while the program holds the context.
  ///
  /// Mostly the next request is for the same one.
  private var lastRegistration: (type: any PersistentModel.Type, registration: EntityRegistration)?
  /// The registration of the identifier that was looked up last, likewise.
  private var lastEntry: IdentifierRegistration?
  /// The registrations of objects that outlive the context.
  private var remaining: [ObjectIdentifier: WeakRegistration] = [:]
  private var identityMaps: [String: IdentityMap] = [:]
  /// The number of registered objects at which unused ones are released.
  private var evictionThreshold = 20_000
  // Unchecked exclusivity: they count each row that is read, or are read with each relationship, are
  // plain integers, and no access of them lasts.
  /// The number of registered objects.
  @exclusivity(unchecked) private(set) var count = 0
  /// The number of objects that were ever registered.
  @exclusivity(unchecked) private(set) var arrivals = 0
  /// The number of deletions that were saved, at which relationships drop objects.
  @exclusivity(unchecked) private(set) var deletions: UInt64 = 0

  /// Whether others have saved since the context began, so that objects may have older values than
  /// their rows.
  private(set) var hasSeenOthers = false
  /// Whether objects were spared when others were noticed last.
  private(set) var hasSpared = false

  private var observed: WeakObjects<Void>?

  /// Notes that a program observes an object of the context.
  func noteObserved(_ model: any PersistentModel) {
    observed = observed ?? WeakObjects()
    observed?.add(model, ())
  }

  /// The objects of the context that a program observes.
  var observedModels: [any PersistentModel] {
    (observed?.present ?? []).map(\.model).filter { $0.registration?.objects === self }
  }

  /// Keeps all objects from now on, because the program holds the context.
  func hold() {
    isHeld = true
    for (type, registration) in remaining { registrations[type] = registration.value }
    remaining = [:]
    for map in identityMaps.values { map.holdsObjects = true }
  }

  /// Keeps no objects from now on, because the context has ended.
  ///
  /// - Parameter remain: Whether objects may outlive the context.
  func release(remain: Bool) {
    isHeld = false
    if remain {
      for map in identityMaps.values { map.holdsObjects = false }
      for (type, registration) in registrations {
        remaining[type] = WeakRegistration(value: registration)
      }
    } else {
      identityMaps = [:]
    }
    registrations = [:]
    lastRegistration = nil
    lastEntry = nil
  }

  /// Returns the registration of a model type.
  ///
  /// - Parameters:
  ///   - type: The model type.
  ///   - make: Makes the registration, if there is none yet and the schema has the type.
  /// - Returns: The registration, or `nil` if there is none.
  func registration(
    for type: any PersistentModel.Type,
    _ make: () -> EntityRegistration?
  ) -> EntityRegistration? {
    if let lastRegistration, lastRegistration.type == type { return lastRegistration.registration }
    let key = ObjectIdentifier(type)
    guard isHeld else {
      if let registration = remaining[key]?.value { return registration }
      let made = make()
      remaining[key] = made.map { WeakRegistration(value: $0) }
      return made
    }
    var found = registrations[key]
    if found == nil {
      found = make()
      registrations[key] = found
    }
    lastRegistration = found.map { (type, $0) }
    return found
  }

  /// Returns the registration of an entity, or `nil` if it has none yet.
  func registration(named entity: String) -> EntityRegistration? {
    let all = registrations.values + remaining.values.compactMap(\.value)
    return all.first { $0.entity.name == entity }
  }

  /// Returns the registration of an identifier's objects.
  ///
  /// - Parameters:
  ///   - identifier: The identifier.
  ///   - find: Returns the registration of an entity, unless the identifier is like the last one.
  /// - Returns: The registration, or `nil` if there is none.
  func entry(
    of identifier: PersistentIdentifier,
    _ find: (String) -> EntityRegistration?
  ) -> IdentifierRegistration? {
    if let lastEntry, lastEntry.scope === identifier.scope { return lastEntry }
    guard let registration = find(identifier.entityName) else { return nil }
    let found = IdentifierRegistration(identifier, registration)
    if isHeld { lastEntry = found }
    return found
  }

  /// Returns the identity map of an entity's hierarchy, which the first call creates.
  func identityMap<Root: PersistentModel>(of root: Root.Type, named name: String) -> IdentityMap {
    if let cached = identityMaps[name] { return cached }
    let made = TypedIdentityMap<Root>()
    made.holdsObjects = isHeld
    identityMaps[name] = made
    return made
  }

  /// Returns the identity map of a hierarchy, or `nil` if it has no objects yet.
  func identityMap(named root: String) -> IdentityMap? { identityMaps[root] }

  /// The identity maps of all hierarchies.
  var maps: [IdentityMap] { Array(identityMaps.values) }

  /// The identity maps with objects that can have relationships.
  var relatedMaps: [IdentityMap] { maps.filter(\.hasRelationships) }

  /// The identity maps with objects that can have to-many relationships.
  var toManyMaps: [IdentityMap] { maps.filter(\.hasToMany) }

  /// All registered objects.
  var all: [any PersistentModel] { maps.flatMap(\.models) }

  /// Registers a saved object under its key.
  func register(
    _ model: any PersistentModel,
    key: PersistentIdentifier.Key,
    in registration: EntityRegistration
  ) {
    registration.identityMap.register(model, for: key)
    count += 1
    arrivals += 1
  }

  /// Registers saved objects under consecutive keys.
  func register(
    _ models: ArraySlice<any PersistentModel>,
    from firstKey: Int64,
    in registration: EntityRegistration
  ) {
    registration.identityMap.register(models, from: firstKey)
    count += models.count
    arrivals += models.count
  }

  /// Removes an object whose deletion was saved from the context, without its key.
  func forget(_ model: any PersistentModel) {
    model.detach(adding: .deleted)
    deletions &+= 1
  }

  /// Notes that others have saved: each object without unsaved changes is read again when the program
  /// next reads one of its properties.
  ///
  /// - Parameter fetched: Objects that were read just now, which stay as they are.
  func noteOthers(sparing fetched: [any PersistentModel] = []) {
    hasSeenOthers = true
    let current = fetched.filter { !$0._$state.flags.contains(.outdated) }
    for map in maps {
      for model in map.models { model._$state.flags.insert(.outdated) }
    }
    for model in current { model._$state.flags.remove(.outdated) }
    hasSpared = !current.isEmpty
  }

  /// Notes that rows were removed.
  func noteDeletions() { deletions &+= 1 }

  /// Releases unused objects when their number has doubled since the last time.
  ///
  /// - Parameters:
  ///   - fresh: The number of objects that were just created and are in use.
  ///   - isNeeded: Creates the test for objects that stay, if there is anything to release.
  func evictIfCrowded(
    except fresh: Int,
    unless isNeeded: () -> (any PersistentModel) -> Bool
  ) {
    guard count - fresh > evictionThreshold else { return }
    evictUnused(unless: isNeeded())
    evictionThreshold = max(20_000, count * 2)
  }

  /// Releases objects that no other code refers to, unless a closure says that they are needed.
  func evictUnused(unless isNeeded: (any PersistentModel) -> Bool) {
    for map in relatedMaps {
      for model in map.models where !isNeeded(model) { model.unloadRelationships() }
    }
    for map in maps { map.evictUnused(unless: isNeeded) }
    count = maps.reduce(0) { $0 + $1.count }
  }
}

/// The registration of objects, found by an identifier.
final class IdentifierRegistration {
  /// The part of the identifier that it shares with others.
  let scope: PersistentIdentifier.Scope
  let registration: EntityRegistration
  /// Whether it is an identifier of the store that has the objects.
  let isOfStore: Bool

  init(_ identifier: PersistentIdentifier, _ registration: EntityRegistration) {
    scope = identifier.scope
    self.registration = registration
    isOfStore = identifier.storeIdentifier == registration.store.identifier
  }
}

/// A registration that exists as long as a context or an object needs it.
private struct WeakRegistration {
  weak var value: EntityRegistration?
}
