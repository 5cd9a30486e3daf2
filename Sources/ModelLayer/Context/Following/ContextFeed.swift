import ModelRuntime
import StoreProtocol

/// The saves of other contexts and processes that a context has applied, which it does when it fetches.
///
/// It applies them at no other time, so that objects agree with each other from fetch to fetch. It has
/// one position in the container's ``SaveFeed``. What it cannot apply at once, because objects
/// have unsaved changes, is noted until they have none.
final class ContextFeed {
  // Unowned: a context has its feed as long as it exists.
  unowned let context: ContextState
  private let saves: SaveFeed
  /// The number of the last entry of the container's feed that the context has applied.
  var position: UInt64
  /// The properties whose values in objects others may have changed, or `nil` for all.
  private var outdatedProperties: Set<RequiredValues.PropertyKey>? = []
  /// Whether others may have changed to-many relationships that have unsaved changes.
  private(set) var hasOutdatedLists = false
  /// Rows that others removed while their objects had unsaved changes.
  var postponedRemovals: [PersistentIdentifier] = []
  /// Whether others removed many rows while objects had unsaved changes.
  var isErasurePostponed = false

  /// Begins at the end of the container's feed.
  init(_ context: ContextState) {
    self.context = context
    saves = context.core.saves
    position = saves.join()
  }

  deinit { saves.leave(position) }

  /// Processes what others have saved since the last call, in this process or another.
  ///
  /// Loaded to-many relationships are unloaded. Objects whose rows contexts of this container
  /// removed vanish unless they have unsaved changes. An indeterminate save is resolved first, so
  /// that what it stored is not read as other objects.
  func applySavesOfOthers() {
    if let saver = context.existingSaver, saver.indeterminate != nil {
      try? saver.resolveIndeterminate()
    }
    saves.notice()
    applyNoticedSaves()
  }

  /// Processes what others have saved as far as the container has noticed it.
  ///
  /// That is enough after a save: by its number, it has noticed those before it.
  func applyNoticedSaves() {
    if context.objects.hasSpared { context.objects.noteOthers() }
    if position != saves.end { unloadOutdatedLists(sparing: []) }
    if !postponedRemovals.isEmpty || isErasurePostponed { noteRemovals() }
  }

  /// Runs a request that returns values and no objects, and processes what it noticed.
  ///
  /// A store on a server notices saves of other processes as it responds.
  func noticing<Result>(_ request: () throws -> Result) rethrows -> Result {
    let result = try request()
    saves.notice()
    if position != saves.end { unloadOutdatedLists(sparing: []) }
    return result
  }

  /// Unloads to-many relationships after others have saved.
  ///
  /// The result of a fetch shows the one state that the fetch has read until the next fetch or save,
  /// before which others are noted once more: the state may contain only some of the saves that are
  /// noticed now.
  func unloadOutdatedLists(sparing fetched: [any PersistentModel]) {
    guard let unread = saves.read(from: &position) else { return }
    context.objects.noteOthers(sparing: fetched)
    postponedRemovals += unread.deleted
    isErasurePostponed = isErasurePostponed || unread.hasErased
    noteOutdated(unread.changed)
    unloadToMany()
    // Others may have added objects to which the rules apply.
    context.pending.applyRulesAgain()
  }

  /// Unloads to-many relationships without unsaved changes.
  ///
  /// Others may be outdated from then on; they are unloaded after the save.
  func unloadToMany() {
    hasOutdatedLists = false
    let touched = context.pending.touched
    for map in context.objects.maps { map.hasUngroupedObjects = true }
    for map in context.objects.toManyMaps {
      for model in map.models { unloadLists(of: model, except: touched) }
    }
  }

  /// Unloads to-many relationships of an object that have no unsaved changes, from either end.
  func unloadLists(of model: any PersistentModel, except touched: RelationshipList) {
    guard model.isNeededByContext || !touched.isEmpty else {
      return model.unloadRelationships(toManyOnly: true)
    }
    let dirty = model.dirtyIndices
    for index in model.registration?.relationshipIndices ?? []
    where model.registration?.isToMany[index] == true {
      let isTouched =
        touched.contains(model, index) || model.existingExtra?.members[index] != nil
      if dirty.contains(index) || isTouched && !model.unloadChangedMembers(index) {
        hasOutdatedLists = true
      } else if !isTouched {
        model.unloadRelationship(index)
      }
    }
  }

  /// Adds what a save of the context changed to the container's feed.
  ///
  /// - Parameters:
  ///   - changes: The changes, or `nil` if anything may have changed.
  ///   - inbox: The inbox of the context, if it has observers.
  func append(_ changes: SavedChanges?, from inbox: ChangeInbox?) {
    let appended = saves.append(changes: changes, at: position, from: inbox)
    position = appended ?? position
    guard let changes, changes.affectsSavingContext else { return }
    noteOutdated(changes.changedProperties(saves.schema))
  }

  /// Notes properties whose values in objects may no longer be those of the rows, or `nil` for all.
  private func noteOutdated(_ properties: Set<RequiredValues.PropertyKey>?) {
    guard let properties else { return outdatedProperties = nil }
    outdatedProperties?.formUnion(properties)
  }

  /// Whether others may have changed the values of objects.
  var hasOutdatedProperties: Bool { outdatedProperties != [] || position != saves.end }

  /// The properties of which observers require values, and whose values in objects are certainly
  /// those of the rows.
  func currentProperties() -> Set<RequiredValues.PropertyKey> {
    guard let outdatedProperties else { return [] }
    return saves.requiredProperties(since: position).subtracting(outdatedProperties)
  }
}
