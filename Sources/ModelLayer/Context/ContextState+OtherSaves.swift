import ModelRuntime
import StoreProtocol

// Saves by other contexts and processes. A context applies them when it fetches.
extension ContextState {
  /// Processes what others have saved since the last call, in this process or another.
  ///
  /// Loaded to-many relationships are unloaded. Objects whose rows contexts of this container
  /// removed vanish unless they have unsaved changes. An indeterminate save is resolved first, so
  /// that what it stored is not read as other objects.
  func applySavesOfOthers() {
    if indeterminateSave != nil { try? resolveIndeterminateSave() }
    unloadOutdatedLists()
    noteRemovals()
  }

  /// Unloads to-many relationships if others have saved since the last call.
  func unloadOutdatedLists() {
    core.saves.notice()
    if objects.hasSpared { objects.noteOthers() }
    if feedPosition != core.saves.end { unloadOutdatedLists(sparing: []) }
  }

  /// Runs a request that returns values and no objects, and processes what it noticed.
  ///
  /// A store on a server notices saves of other processes as it responds.
  func noticing<Result>(_ request: () throws -> Result) rethrows -> Result {
    let result = try request()
    unloadOutdatedLists()
    return result
  }

  /// Unloads to-many relationships after others have saved.
  ///
  /// The result of a fetch shows the one state that the fetch has read until the next fetch or save,
  /// before which others are noted once more: the state may contain only some of the saves that are
  /// noticed now.
  func unloadOutdatedLists(sparing fetched: [any PersistentModel]) {
    guard let unread = core.saves.read(from: &feedPosition) else { return }
    objects.noteOthers(sparing: fetched)
    postponedRemovals += unread.deleted
    isErasurePostponed = isErasurePostponed || unread.hasErased
    noteOutdated(unread.changed)
    unloadToMany()
    // Others may have added objects to which the rules apply.
    pending.applyRulesAgain()
  }

  /// Unloads to-many relationships without unsaved changes.
  ///
  /// Others may be outdated from then on; they are unloaded after the save.
  func unloadToMany() {
    hasOutdatedLists = false
    let touched = pending.touched
    for map in objects.maps { map.hasUngroupedObjects = true }
    for map in objects.relatedMaps {
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

  /// Notes properties whose values in objects may no longer be those of the rows, or `nil` for all.
  func noteOutdated(_ properties: Set<RequiredValues.PropertyKey>?) {
    guard let properties else { return outdatedProperties = nil }
    outdatedProperties?.formUnion(properties)
  }

  /// Whether others may have changed the values of objects.
  var hasOutdatedProperties: Bool { outdatedProperties != [] || feedPosition != core.saves.end }

  /// The properties of which observers require values, and whose values in objects are certainly
  /// those of the rows.
  func currentProperties() -> Set<RequiredValues.PropertyKey> {
    guard let outdatedProperties else { return [] }
    return core.saves.requiredProperties(since: feedPosition).subtracting(outdatedProperties)
  }
}
