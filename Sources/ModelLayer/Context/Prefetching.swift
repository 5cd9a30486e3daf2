import ModelRuntime
import StoreProtocol

extension ContextState {
  /// Loads the relationships that a descriptor names, each at once for all objects.
  func prefetch(
    _ names: [String],
    for models: [any PersistentModel],
    in registration: EntityRegistration
  ) throws {
    for name in names {
      guard let index = registration.layout.index(named: name), registration.isRelationship[index]
      else {
        throw SwiftDataError.unsupportedKeyPath.with(
          "a key path for prefetching names an attribute; name a relationship",
          entity: registration.entity.name,
          property: name
        )
      }
      if registration.entity.properties[index].isToMany {
        try loadMembers(index, of: models.filter { $0.hasFault(at: index) }, in: registration)
      } else {
        try loadTargets(index, of: models.filter { $0.hasFault(at: index) }, in: registration)
      }
    }
  }

  /// Processes what other contexts have saved since the last call.
  ///
  /// Loaded to-many relationships are unloaded. Objects whose rows were removed vanish unless they
  /// have unsaved changes. An indeterminate save is resolved first, so that what it stored is not
  /// read as other objects.
  func applySavesOfOthers() {
    if indeterminateSave != nil { try? resolveIndeterminateSave() }
    let current = core.changes.generation
    guard current != seen.generation else { return }
    seen.generation = current
    unloadToMany()
    let deletions = core.changes.deletions.deletions(since: seen.deletions)
    seen.deletions = deletions.position
    for identifier in deletions.identifiers { noteRemoval(of: identifier) }
    if deletions.isMuch { noteErasure() }
  }

  /// Unloads to-many relationships of objects without unsaved changes.
  func unloadToMany() {
    let isNeeded = self.isNeeded()
    for map in objects.maps { map.hasUngroupedObjects = true }
    for map in objects.relatedMaps {
      for model in map.models where !isNeeded(model) {
        model.unloadRelationships(toManyOnly: true)
      }
    }
  }

  /// Called once for each object that starts to differ from its row.
  func changeHappened() {
    guard autosaveEnabled else { return }
    autosave.changeHappened(in: self)
  }
}
