import Foundation
import ModelRuntime
import StoreProtocol
import Synchronization

/// The state of a context, kept alive by the context and by its objects.
///
/// While there is a `ModelContext`, the state holds its objects. When the context ends, the state
/// saves unsaved changes if autosave is enabled, and drops them otherwise. It then holds objects no
/// longer, so that it ends with the last of them. Until then they can load their relationships as
/// before.
final class ContextState {
  let core: ContainerCore
  /// The context that the program holds.
  private(set) weak var handle: ModelContext?
  weak var givenContainer: ModelContainer?
  var editingState: EditingState
  /// The kind of work that the context saves for.
  var origin = SaveOrigin.program
  var autosaveEnabled = false
  /// Whether anything that a store does not do itself is an error.
  var requiresNativeFetches = false
  /// Whether a new object with the unique values of a stored one is an error.
  var requiresNewObjects = false
  /// The policy of a save that conflicts with another save.
  var mergePolicy = MergePolicy.mergeByProperty
  var pending = PendingChanges()
  /// The unsaved changes of objects after the context ended.
  private var detached = DetachedChanges()
  /// Whether the program holds no context of this state, so that only objects keep it.
  private(set) var hasEnded = false
  /// Changes of all objects that queries find, left to the stores until they are looked at.
  // Unchecked exclusivity: it is checked before each query, and no access lasts.
  @exclusivity(unchecked) var bulkChanges: [PendingBulkChange] = []
  /// The positions of readers of the history that the next save keeps, by store.
  @exclusivity(unchecked) var readers: [ObjectIdentifier: [HistoryReaderPosition]] = [:]
  /// The save whose outcome is unknown.
  var indeterminateSave: IndeterminateSave?
  /// Problems found where nothing could be thrown; the next save throws the first.
  var problems: [SwiftDataError] = []
  /// Whether an object of its row's version is assumed to have the row's values, which then need
  /// not be read.
  var trustsVersions = true
  /// The values that could not be loaded and must not be stored as they were read.
  var unread = UnreadValues()
  /// The number of saves of this context that removed objects.
  var deletions: UInt64 = 0
  /// The count of queries caused by accesses of data that was not loaded.
  private(set) lazy var faults = FaultLedger()
  /// Reads the contents of properties before they change.
  private(set) lazy var reader = ContentWriter()
  /// Detects relationships that are not loaded.
  private(set) lazy var probe = FaultProbe()
  /// The number of the container's saves that this context has processed.
  var seenGeneration: UInt64 = 0
  /// The last save up to which the context has seen all saves of others, by the count of the
  /// container's feed.
  var seenSave: UInt64
  /// The position of the context in the log of rows that all contexts removed.
  var deletionPosition: UInt64
  /// Saves automatically, if that is enabled.
  private(set) lazy var autosave = Autosave()
  /// Records changes for an undo manager, if there is one.
  var undo: UndoRecorder?
  /// Keeps the results of observers up to date, if there are any.
  var updater: ResultsUpdater?
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
  // Unchecked exclusivity: both count each row that is read, are plain integers, and no access of
  // them lasts.
  @exclusivity(unchecked) private(set) var registeredCount = 0
  /// The number of objects that were ever registered.
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

  /// Returns the context that the program holds, or a new one if the program has released it.
  func currentHandle() -> ModelContext {
    if let handle { return handle }
    let made = ModelContext(state: self)
    for map in identityMaps.values { map.holdsObjects = true }
    return made
  }

  /// Sets the context that holds this state.
  func begin(_ handle: ModelContext) {
    self.handle = handle
    hasEnded = false
    pending.add(detached, of: self)
    detached = DetachedChanges()
    for (type, registration) in remaining { registrations[type] = registration.value }
    remaining = [:]
  }

  /// Notes an unsaved change.
  func note(_ change: UnsavedChange, of model: any PersistentModel) {
    if hasEnded { detached.note(change, of: model) } else { pending.note(change, of: model) }
  }

  /// Drops unsaved changes and releases the objects.
  func handleEnded() {
    guard handle == nil, !autosaveEnabled || autosave.mayEnd(self) else { return }
    hasEnded = true
    bulkChanges = []
    readers = [:]
    if arrivals > 0 || pending.holdsObjects || undo != nil {
      releaseObjects()
      for map in identityMaps.values { map.holdsObjects = false }
      for (type, registration) in registrations {
        remaining[type] = WeakRegistration(value: registration)
      }
    } else {
      // Contexts of requests often end without ever having had objects.
      identityMaps = [:]
    }
    registrations = [:]
    lastRegistration = nil
    lastEntry = nil
  }

  /// Drops unsaved changes, and replaces relationships between objects by keys.
  private func releaseObjects() {
    record(in: nil)
    indeterminateSave = nil
    let unsaved = pending.all
    pending = PendingChanges()
    for model in unsaved {
      model.registration?.identityMap.remove(model.persistentModelID.key)
      model.detach()
      model._$state.flags.remove(.deleted)
    }
    for model in unsaved {
      model.unloadRelationships()
      if model.persistentModelID.isTemporary { model.clearReferences() }
    }
    for map in relatedMaps {
      for model in map.models { model.unloadRelationships() }
    }
  }

  /// Returns the registration of a model type, or `nil` if the schema lacks the type.
  func registration(for type: any PersistentModel.Type) -> EntityRegistration? {
    if let cached = cachedRegistration(for: type) { return cached }
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

  private func cachedRegistration(for type: any PersistentModel.Type) -> EntityRegistration? {
    if let lastRegistration, lastRegistration.type == type { return lastRegistration.registration }
    let key = ObjectIdentifier(type)
    if let registration = registrations[key] {
      lastRegistration = (type, registration)
      return registration
    }
    return remaining.isEmpty ? nil : remaining[key]?.value
  }

  /// Returns the registration of an entity, or `nil` if the schema lacks it.
  func registration(named entity: String) -> EntityRegistration? {
    core.schema.modelTypes[entity].flatMap(registration(for:))
  }

  /// Returns the registration of an identifier's objects, or `nil` if the schema lacks its entity.
  func entry(of identifier: PersistentIdentifier) -> IdentifierRegistration? {
    if let lastEntry, lastEntry.scope === identifier.scope { return lastEntry }
    guard let registration = registration(named: identifier.entityName) else { return nil }
    let found = IdentifierRegistration(identifier, registration)
    if handle != nil { lastEntry = found }
    return found
  }

  private func identityMap(
    for root: any PersistentModel.Type,
    named name: String
  ) -> IdentityMap {
    if let cached = identityMaps[name] { return cached }
    let made = IdentityMap.make(for: root)
    made.holdsObjects = handle != nil
    identityMaps[name] = made
    return made
  }

  /// Returns the identity map of a hierarchy, or `nil` if the context has none of its objects yet.
  func identityMap(named root: String) -> IdentityMap? { identityMaps[root] }

  /// The identity maps of all hierarchies that the context has used.
  var allIdentityMaps: [IdentityMap] { Array(identityMaps.values) }

  /// Registers a saved object under its key.
  func register(
    _ model: any PersistentModel,
    key: PersistentIdentifier.Key,
    in registration: EntityRegistration
  ) {
    registration.identityMap.register(model, for: key)
    registeredCount += 1
    arrivals += 1
  }

  /// Registers an object under the integer key of its row.
  func register(
    _ model: any PersistentModel,
    number: Int64,
    in registration: EntityRegistration
  ) {
    registration.identityMap.register(model, forNumber: number)
    registeredCount += 1
    arrivals += 1
  }

  /// Registers saved objects under consecutive keys.
  func register(
    _ models: ArraySlice<any PersistentModel>,
    from firstKey: Int64,
    in registration: EntityRegistration
  ) {
    registration.identityMap.register(models, from: firstKey)
    registeredCount += models.count
    arrivals += models.count
  }

  /// Releases unused objects when their number has doubled since the last time.
  ///
  /// - Parameter fresh: The number of objects that were just created and are in use.
  func evictIfCrowded(except fresh: Int) {
    guard registeredCount - fresh > evictionThreshold else { return }
    evictUnused()
    evictionThreshold = max(20_000, registeredCount * 2)
  }

  /// Releases saved, unchanged objects that the program no longer holds.
  func evictUnused() {
    let touched = pending.touchedModels
    let isNeeded = { (model: any PersistentModel) in
      model.isNeededByContext || touched.contains(ObjectIdentifier(model))
    }
    for map in relatedMaps {
      for model in map.models where !isNeeded(model) { model.unloadRelationships() }
    }
    for map in identityMaps.values { map.evictUnused(unless: isNeeded) }
    registeredCount = identityMaps.values.reduce(0) { $0 + $1.count }
  }

  /// The identity maps with objects that can have relationships.
  var relatedMaps: [IdentityMap] {
    let all = registrations.values + remaining.values.compactMap(\.value)
    let related = all.filter(\.hasRelationships)
    return identityMaps.values.filter { map in related.contains { $0.identityMap === map } }
  }
}

/// Creates the identities of contexts: random ones, with one request to the system per process.
private enum ContextNumber {
  private static let first = UUID().uuid
  private static let count = Atomic<UInt64>(0)

  static func next() -> UUID {
    let number = count.add(1, ordering: .relaxed).newValue
    var bytes = first
    withUnsafeMutableBytes(of: &bytes) { bytes in
      // The version and the variant of the identifier are in the first half and in byte 8.
      for index in 0..<7 {
        bytes[15 - index] ^= UInt8(truncatingIfNeeded: number >> (8 * UInt64(index)))
      }
    }
    return UUID(uuid: bytes)
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
    isOfStore = identifier.storeIdentifier == registration.backend.identifier
  }
}

/// A registration that exists as long as a context or an object needs it.
private struct WeakRegistration {
  weak var value: EntityRegistration?
}
