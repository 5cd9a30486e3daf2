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
  let objects = RegisteredObjects()
  /// The context that the program holds.
  weak var handle: ModelContext?
  weak var givenContainer: ModelContainer?
  var editingState: EditingState
  var autosaveEnabled = false
  /// Whether this is the context that its container has for the main actor.
  var isMain = false
  /// Whether anything that a store does not do itself is an error.
  var requiresNativeFetches = false
  var pending = PendingChanges()
  /// Saves the unsaved changes, or `nil` if the context has only read so far.
  private(set) var existingSaver: Saver?
  /// The unsaved changes of objects after the context ended, or `nil` if there are none.
  ///
  /// A context keeps the objects that it has to save, and each object keeps its context's state: after
  /// the end of the context, a permanent cycle. These changes therefore last as long as the program
  /// holds their objects. A context that is recreated takes them over.
  private var detached: WeakObjects<UnsavedChange>?
  /// Whether the program holds no context of this state, so that only objects keep it.
  private(set) var hasEnded = false
  /// Changes of all objects that queries find, left to the stores until they are looked at.
  // Unchecked exclusivity: it is checked before each query, and no access lasts.
  @exclusivity(unchecked) var bulkChanges: [PendingBulkChange] = []
  /// Problems found where nothing could be thrown; the next save throws the first.
  var problems: [SwiftDataError] = []
  /// Reads rows into objects.
  private(set) lazy var loader = RowLoader(self)
  /// Reads the contents of properties before they change.
  private(set) lazy var reader = PropertyReader()
  /// Reads relationships of objects that enter the context.
  private(set) lazy var related = RelationshipReader()
  /// Applies the saves of others.
  private(set) lazy var feed = ContextFeed(self)
  /// The isolation that the context belongs to.
  var isolation = ContextIsolation.unknown
  /// Saves automatically, or `nil` if that was never needed.
  private(set) var existingAutosave: Autosave?
  /// Records changes for an undo manager, if there is one.
  var undo: UndoRecorder? { didSet { markRecorded() } }
  /// Keeps the results of observers up to date, if there are any.
  var updater: (any ContextObserver)? { didSet { markRecorded() } }

  init(_ core: ContainerCore, container: ModelContainer?) {
    self.core = core
    givenContainer = container
    editingState = EditingState(id: ContextNumber.next())
    for store in core.stores.all { store.initializeState(for: editingState) }
    // Saves count from now on.
    _ = feed
  }

  deinit {
    for store in core.stores.all { store.invalidateState(for: editingState) }
  }

  /// Saves the unsaved changes.
  var saver: Saver {
    if let existingSaver { return existingSaver }
    let made = Saver(self)
    existingSaver = made
    return made
  }

  /// Saves automatically, if that is enabled.
  var autosave: Autosave {
    if let existingAutosave { return existingAutosave }
    let made = Autosave()
    existingAutosave = made
    return made
  }

  /// Returns the context that the program holds, or a new one if the program has released it.
  func currentHandle() -> ModelContext {
    handle ?? ModelContext(state: self)
  }

  /// Continues with a new context after the former one ended.
  func resume() {
    hasEnded = false
    for (model, change) in detached?.present ?? [] where isMember(model) {
      pending.note(change, of: model)
    }
    detached = nil
    objects.hold()
  }

  /// Whether an object belongs to the context.
  func isMember(_ model: any PersistentModel) -> Bool { model.registration?.context === self }

  func note(_ change: UnsavedChange, of model: any PersistentModel) {
    if hasEnded {
      detached = detached ?? WeakObjects()
      detached?.add(model, change)
      return
    }
    pending.note(change, of: model)
    guard let changes = existingSaver?.changesDuringSave else { return }
    if case .inserted = change { changes.noteInsertion(of: model) }
    changes.pending.note(change, of: model)
  }

  /// Notes an unsaved change.
  func note(_ change: (inout PendingChanges) -> Void) {
    change(&pending)
    if let changes = existingSaver?.changesDuringSave { change(&changes.pending) }
  }

  /// Called once for each object that starts to differ from its row.
  func changeHappened() {
    if autosaveEnabled { autosave.changeHappened(in: self) }
  }

  /// Carries out the delete rules of objects that were deleted since the last time.
  func processPendingChanges() {
    if !pending.unruled.isEmpty { DeleteRules(in: self).carryOut() }
  }

  /// Whether there is anything to save.
  var hasChanges: Bool { !bulkChanges.isEmpty || !pending.isEmpty }

  /// Drops unsaved changes and releases the objects.
  func handleEnded() {
    guard handle == nil, !autosaveEnabled || autosave.mayEnd(self) else { return }
    hasEnded = true
    bulkChanges = []
    existingSaver?.forgetReaders()
    // Contexts of requests often end without ever having had objects.
    let mayRemain = objects.arrivals > 0 || pending.holdsObjects || undo != nil
    if mayRemain { releaseObjects() }
    objects.release(remain: mayRemain)
  }

  /// Drops unsaved changes, and replaces relationships between objects by keys.
  private func releaseObjects() {
    if undo != nil { record(in: nil) }
    existingSaver?.indeterminate = nil
    let unsaved = pending.all
    pending = PendingChanges()
    for model in unsaved {
      model.registration?.identityMap.remove(model.persistentModelID.key)
      model.detach()
      model._$state.flags.remove(.deleted)
    }
    for model in unsaved {
      model.unloadRelationships()
      // Otherwise the objects of a long chain would be released recursively.
      guard model.persistentModelID.isTemporary else { continue }
      model.releaseRelated { _ in true }
      model.existingExtra?.members = [:]
      model._$state.flags.remove(.hasPendingMembers)
    }
    for map in objects.relatedMaps {
      for model in map.models { model.unloadRelationships() }
    }
  }

  /// Returns the registration of a model type, or `nil` if the schema lacks the type.
  func registration(for type: any PersistentModel.Type) -> EntityRegistration? {
    objects.registration(for: type) {
      core.facts(of: type).map { ContextRegistration($0, of: self) }
    }
  }

  /// Returns the schema and the store for which predicates over a model are lowered.
  func queryScope(of type: any PersistentModel.Type) -> QueryScope {
    registration(for: type)?.facts.queryScope ?? QueryScope(core.schema)
  }

  /// Returns the registration of an entity, or `nil` if the schema lacks it.
  func registration(named entity: String) -> EntityRegistration? {
    core.schema.modelTypes[entity].flatMap(registration(for:))
  }

  /// Returns the registration of an identifier's objects, or `nil` if the schema lacks its entity.
  func entry(of identifier: PersistentIdentifier) -> IdentifierRegistration? {
    objects.entry(of: identifier, registration(named:))
  }

  /// Releases saved, unchanged objects that the program no longer holds.
  func evictUnused() { objects.evictUnused(unless: isNeeded()) }

  /// Removes an object from the context whose row no longer exists.
  ///
  /// It keeps its identifier and its last values.
  func vanish(_ model: any PersistentModel) {
    guard let registration = model.registration, registration.context === self else { return }
    registration.identityMap.remove(model.persistentModelID.key)
    model.detach()
    model.releaseRelated { _ in true }
    model._$state.flags.insert(.vanished)
    objects.noteDeletions()
  }

  /// Returns a test for objects with unsaved changes.
  func isNeeded() -> (any PersistentModel) -> Bool {
    let touched = pending.touchedModels
    return { $0.isNeededByContext || touched.contains(ObjectIdentifier($0)) }
  }
}

/// A registration whose objects keep their context alive.
final class ContextRegistration: EntityRegistration {
  /// The context, which exists as long as any of its objects.
  fileprivate let state: ContextState

  init(_ facts: EntityFacts, of context: ContextState) {
    state = context
    super.init(facts, in: context.objects)
  }

  override func registration(named entity: String) -> EntityRegistration? {
    state.registration(named: entity)
  }
}

extension EntityRegistration {
  @inline(__always)
  var context: ContextState {
    // The cast costs nothing this way, and all objects that reach a context are registered by one.
    unsafeDowncast(self, to: ContextRegistration.self).state
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
