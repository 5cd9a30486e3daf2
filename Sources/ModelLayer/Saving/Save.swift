import ModelRuntime
import StoreProtocol

/// The part of a save for one store: its objects, its changes, and their result.
///
/// Each store applies its part atomically, one store after the other. A save is a value: an attempt
/// after a conflict begins with the planned one, so that none builds upon what a store has refused.
/// Objects change when their store has the changes, and not before: until then, an error leaves the
/// context as it was.
///
/// | state | entered by | left by | a throw here leaves |
/// |---|---|---|---|
/// | planned | all values that need code of the program are encoded | ``apply(_:)`` | all changes pending |
/// | conflicted | the store threw ``DataStoreError/conflict`` | ``resolved(by:after:)`` → planned | all changes pending; the error has the conflicts |
/// | indeterminate | the store threw ``DataStoreError/outcomeUnknown`` | ``settle()`` → stored, or planned if nothing was saved | all changes pending; the context keeps the save, and asks again before its next save or fetch |
/// | stored | the store returned a result | ``adopt(in:isLate:)`` | all changes pending, which the store has: it named no key of a new object |
/// | adopted | the objects have their keys and versions | `Saver.announce` | – (what cannot be read again is a problem of the next save) |
/// | announced | other contexts, observers and the program are notified | the save ends | – |
///
/// Of several stores, an error of one leaves those before it announced and those after it planned.
struct Save {
  /// The states until the announcement, with which the save ends.
  enum State { case planned, conflicted, indeterminate, stored, adopted }

  var state = State.planned
  let store: any RecordStore
  /// The changes to apply.
  var changes: StoreChanges
  /// The new objects, in runs of one entity, as the changes have them.
  var insertedRuns: [EntityRun] = []
  var changedRuns: [EntityRun] = []
  /// The objects to remove, in runs of one entity.
  var deletedRuns: [EntityRun] = []
  /// The changed rows that no object of the context has.
  var unseen: [PersistentIdentifier] = []

  /// Whether rows are expected at the versions from which their objects were read.
  var comparesVersions = false
  /// Objects whose rows others had changed, to be read again after the save.
  var refreshed: [any PersistentModel] = []
  /// Objects that others had deleted.
  var vanished: [any PersistentModel] = []
  /// Objects whose deletion was reverted.
  var kept: [any PersistentModel] = []

  /// Whether the program has rolled back since the outcome is unknown.
  var isRolledBack = false
  /// The result of the store.
  var result = StoreChangesResult()
  /// The changes that the program made since the values were read, if there are any.
  var edits: EditsDuringSave?

  var insertedRows: [PersistentIdentifier] = []
  var updatedRows: [PersistentIdentifier] = []
  var deletedRows: [PersistentIdentifier] = []
  /// The rows that new objects were merged into.
  var mergedRows: Set<PersistentIdentifier> = []
  /// The new objects that left the context, because their rows have other objects.
  var left: [(model: any PersistentModel, became: PersistentIdentifier)] = []
  /// The changes by row and property, if there are observers.
  var observed: SavedChanges?

  /// The new objects; each access makes a list of them.
  var inserted: [any PersistentModel] {
    get { insertedRuns.flatMap(\.models) }
    set { insertedRuns = EntityRun.runs(of: newValue) }
  }

  /// The changed objects; each access makes a list of them.
  var changed: [any PersistentModel] {
    get { changedRuns.flatMap(\.models) }
    set { changedRuns = EntityRun.runs(of: newValue) }
  }

  /// The objects to remove; each access makes a list of them.
  var deleted: [any PersistentModel] {
    get { deletedRuns.flatMap(\.models) }
    set { deletedRuns = EntityRun.runs(of: newValue) }
  }

  /// The objects whose rows the save changes or removes.
  var models: [any PersistentModel] {
    let updated = Set(changes.updates.flatMap(\.identifiers))
    return changed.filter { updated.contains($0.persistentModelID) } + deleted
  }

  /// Applies the changes to the store, all or nothing.
  ///
  /// - Parameter related: Returns a search among some new objects and the stored ones, for the
  ///   snapshots of other types.
  /// - Throws: The errors of the store; it is then conflicted, indeterminate, or still planned.
  mutating func apply(_ related: ([any PersistentModel]) -> RelatedObjects) throws {
    do {
      if let adapter = store as? any AdaptedStore {
        result = try adapter.apply(changes, related(inserted))
      } else {
        // The store's own files keep the kinds of values, whichever store is being called.
        result = try TypedSnapshotCoding.$current.withValue(nil) { try store.apply(changes) }
      }
      state = .stored
    } catch let error as DataStoreError where error.code == .conflict {
      state = .conflicted
      throw error
    } catch let error as DataStoreError where error.code == .outcomeUnknown {
      // The objects may change before the outcome is known.
      changes = changes.recorded
      state = .indeterminate
      throw error
    }
  }
}
