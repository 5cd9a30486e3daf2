import Foundation
import StoreProtocol
import Synchronization

/// What a context is made of, kept alive by the context and by its objects.
///
/// While there is a `ModelContext`, the state holds its objects. When the context ends, the state
/// saves unsaved changes where autosave is on, forgets them otherwise, and holds objects no longer,
/// so that it ends with the last of them; until then they can load their relationships as before.
final class ContextState {
  let core: ContainerCore
  /// The context that the program holds.
  private(set) weak var handle: ModelContext?
  weak var givenContainer: ModelContainer?
  var editingState: EditingState
  /// The kind of work that the context saves for.
  var origin = SaveOrigin.program
  var autosaveEnabled = false
  /// Whether whatever a store does not do itself is an error.
  var requiresNativeFetches = false
  /// Whether a new object with the unique values of a stored one is an error.
  var requiresNewObjects = false
  /// What a save does when another came first.
  var mergePolicy = MergePolicy.mergeByProperty
  var pending = PendingChanges()
  /// What objects have to have saved after the context ended.
  private var adrift = AdriftChanges()
  /// Whether the program holds no context of this state, so that only objects keep it.
  private(set) var hasEnded = false
  /// Changes of all objects that queries find, left to the stores as long as nobody looks.
  // Looked at before each query, and no access lasts.
  @exclusivity(unchecked) var bulkChanges: [PendingBulkChange] = []
  /// The positions of readers of the history that the next save keeps, by store.
  @exclusivity(unchecked) var readers: [ObjectIdentifier: [HistoryReaderPosition]] = [:]
  /// The save of which nobody could tell yet what became of it.
  var doubt: SaveDoubt?
  /// What went wrong where nothing could be thrown; the next save throws the first of it.
  var problems: [SwiftDataError] = []
  /// Whether an object of its row's version has the row's values, so that these need not be read.
  var trustsVersions = true
  /// What could not be loaded and must not be stored as it was read.
  var unread = UnreadValues()
  /// The number of saves of this context that took objects away.
  var deletions: UInt64 = 0
  /// The queries that touches of what was not loaded have cost.
  private(set) lazy var faults = FaultLedger()
  /// Reads what stands in properties before they change.
  private(set) lazy var reader = ContentWriter()
  /// Tells which relationships are not loaded.
  private(set) lazy var probe = FaultProbe()
  /// The number of the container's saves that this context has taken in.
  var seenGeneration: UInt64 = 0
  /// The save up to which the context has seen all that others saved, by the count of its container's feed.
  var seenSave: UInt64
  /// Where the context stands in what all contexts removed.
  var deletionPosition: UInt64
  /// Saves without being asked to, where that is enabled.
  private(set) lazy var autosave = Autosave()
  /// Records changes for an undo manager, where there is one.
  var undo: UndoRecorder?
  /// Keeps the answers of observers up to date, where there are any.
  var keeper: AnswerKeeper?
  /// The places of objects while the program holds the context.
  ///
  /// Not weakly: once there was a weak reference to an object, all others to it cost more, and each
  /// model has one to its place.
  private var registrations: [ObjectIdentifier: EntityRegistration] = [:]
  /// The place that was asked for last, while the program holds the context: mostly the next is the
  /// same.
  private var lastRegistration: (type: any PersistentModel.Type, place: EntityRegistration)?
  /// The place of the identifier that was asked about last, likewise.
  private var lastPlace: IdentifierPlace?
  /// The places of objects that outlive the context.
  private var remaining: [ObjectIdentifier: WeakRegistration] = [:]
  private var identityMaps: [String: IdentityMap] = [:]
  /// The number of registered objects at which unused ones are let go.
  private var evictionThreshold = 20_000
  // Both count each row that is read; numbers alone, of which no access lasts.
  @exclusivity(unchecked) private(set) var registeredCount = 0
  /// How many objects were ever registered.
  @exclusivity(unchecked) private(set) var arrivals = 0

  init(_ core: ContainerCore, container: ModelContainer?) {
    self.core = core
    givenContainer = container
    editingState = EditingState(id: ContextNumber.next())
    seenGeneration = core.changes.generation
    seenSave = core.changes.feed.save
    deletionPosition = core.changes.deletions.addReader()
    for backend in core.backends.all { backend.initializeState(for: editingState) }
  }

  deinit {
    core.changes.deletions.removeReader()
    for backend in core.backends.all { backend.invalidateState(for: editingState) }
  }

  /// The context that the program holds, made anew where it let go of it.
  func currentHandle() -> ModelContext {
    if let handle { return handle }
    let made = ModelContext(state: self)
    for map in identityMaps.values { map.holdsObjects = true }
    return made
  }

  /// Takes note of the context that holds this state.
  func begin(_ handle: ModelContext) {
    self.handle = handle
    hasEnded = false
    pending.add(adrift, of: self)
    adrift = AdriftChanges()
    for (type, registration) in remaining { registrations[type] = registration.value }
    remaining = [:]
  }

  /// Takes note of something to be saved.
  func note(_ change: UnsavedChange, of model: any PersistentModel) {
    if hasEnded { adrift.note(change, of: model) } else { pending.note(change, of: model) }
  }

  /// Forgets what was not saved and holds objects no longer.
  func handleEnded() {
    guard handle == nil, !autosaveEnabled || autosave.mayEnd(self) else { return }
    hasEnded = true
    bulkChanges = []
    readers = [:]
    if arrivals > 0 || pending.holdsObjects || undo != nil {
      releaseObjects()
      for map in identityMaps.values { map.holdsObjects = false }
      for (type, place) in registrations { remaining[type] = WeakRegistration(value: place) }
    } else {
      // Requests are mostly answered without objects.
      identityMaps = [:]
    }
    registrations = [:]
    lastRegistration = nil
    lastPlace = nil
  }

  /// Forgets what was not saved, and has objects refer to others by their keys.
  private func releaseObjects() {
    record(in: nil)
    doubt = nil
    let unsaved = pending.all
    pending = PendingChanges()
    for model in unsaved {
      model.registration?.identityMap.remove(model.persistentModelID.key)
      model.detach()
      model._$state.flags.remove(.deleted)
    }
    for model in unsaved {
      model.foldRelationships()
      if model.persistentModelID.isTemporary { model.partFromUnsaved() }
    }
    for map in relatedMaps {
      for model in map.models { model.foldRelationships() }
    }
  }

  /// The place of objects of a model type, nil where the schema lacks the type.
  func registration(for type: any PersistentModel.Type) -> EntityRegistration? {
    if let known = knownRegistration(for: type) { return known }
    guard let facts = core.facts(of: type) else { return nil }
    let made = EntityRegistration(
      context: self,
      facts: facts,
      identityMap: identityMap(for: facts.root, named: facts.entity.root)
    )
    if handle == nil {
      remaining[ObjectIdentifier(type)] = WeakRegistration(value: made)
    } else {
      registrations[ObjectIdentifier(type)] = made
    }
    return made
  }

  private func knownRegistration(for type: any PersistentModel.Type) -> EntityRegistration? {
    if let lastRegistration, lastRegistration.type == type { return lastRegistration.place }
    let key = ObjectIdentifier(type)
    if let place = registrations[key] {
      lastRegistration = (type, place)
      return place
    }
    return remaining.isEmpty ? nil : remaining[key]?.value
  }

  /// The place of objects of an entity, nil where the schema lacks it.
  func registration(named entity: String) -> EntityRegistration? {
    core.schema.modelTypes[entity].flatMap(registration(for:))
  }

  /// The place of an identifier's objects, nil where the schema lacks its entity.
  func place(of identifier: PersistentIdentifier) -> IdentifierPlace? {
    if let lastPlace, lastPlace.scope === identifier.scope { return lastPlace }
    guard let registration = registration(named: identifier.entityName) else { return nil }
    let found = IdentifierPlace(identifier, registration)
    if handle != nil { lastPlace = found }
    return found
  }

  private func identityMap(
    for root: any PersistentModel.Type,
    named name: String
  ) -> IdentityMap {
    if let known = identityMaps[name] { return known }
    let made = IdentityMap.make(for: root)
    made.holdsObjects = handle != nil
    identityMaps[name] = made
    return made
  }

  /// The identity map of a hierarchy, nil where the context has met none of it.
  func identityMap(named root: String) -> IdentityMap? { identityMaps[root] }

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
    arrivals += 1
  }

  /// Puts an object under the number of its row.
  func register(
    _ model: any PersistentModel,
    number: Int64,
    in registration: EntityRegistration
  ) {
    registration.identityMap.register(model, forNumber: number)
    registeredCount += 1
    arrivals += 1
  }

  /// Puts saved objects under keys that follow each other.
  func register(
    _ models: ArraySlice<any PersistentModel>,
    from firstKey: Int64,
    in registration: EntityRegistration
  ) {
    registration.identityMap.register(models, from: firstKey)
    registeredCount += models.count
    arrivals += models.count
  }

  /// Lets go of unused objects when their number has doubled since the last time.
  ///
  /// - Parameter fresh: How many were made only just, and are in use.
  func evictIfCrowded(except fresh: Int) {
    guard registeredCount - fresh > evictionThreshold else { return }
    evictUnused()
    evictionThreshold = max(20_000, registeredCount * 2)
  }

  /// Lets go of saved, unchanged objects that the program no longer holds.
  func evictUnused() {
    let touched = pending.touchedModels
    let isNeeded = { (model: any PersistentModel) in
      model.isNeededByContext || touched.contains(ObjectIdentifier(model))
    }
    for map in relatedMaps {
      for model in map.models where !isNeeded(model) { model.foldRelationships() }
    }
    for map in identityMaps.values { map.evictUnused(unless: isNeeded) }
    registeredCount = identityMaps.values.reduce(0) { $0 + $1.count }
  }

  /// The identity maps with objects that can have relationships.
  var relatedMaps: [IdentityMap] {
    let places = registrations.values + remaining.values.compactMap(\.value)
    let related = places.filter(\.hasRelationships)
    return identityMaps.values.filter { map in related.contains { $0.identityMap === map } }
  }
}

/// Makes the identities of contexts: random ones, of which the system is asked once a process.
private enum ContextNumber {
  private static let first = UUID().uuid
  private static let count = Atomic<UInt64>(0)

  static func next() -> UUID {
    let number = count.add(1, ordering: .relaxed).newValue
    var bytes = first
    withUnsafeMutableBytes(of: &bytes) { bytes in
      // The version and the variant of the identifier stand in the first half and in byte 8.
      for place in 0..<7 {
        bytes[15 - place] ^= UInt8(truncatingIfNeeded: number >> (8 * UInt64(place)))
      }
    }
    return UUID(uuid: bytes)
  }
}

/// The place of objects by an identifier.
final class IdentifierPlace {
  /// What the identifier has in common with others.
  let scope: PersistentIdentifier.Scope
  let registration: EntityRegistration
  /// Whether it is one of the store that has the objects.
  let isOfStore: Bool

  init(_ identifier: PersistentIdentifier, _ registration: EntityRegistration) {
    scope = identifier.scope
    self.registration = registration
    isOfStore = identifier.storeIdentifier == registration.backend.identifier
  }
}

/// A place that lives as long as a context or an object needs it.
private struct WeakRegistration {
  weak var value: EntityRegistration?
}
