import StoreProtocol

extension ContextState {
  /// Loads the relationships that a descriptor names, one query each.
  func prefetch(
    _ names: [String],
    for models: [any PersistentModel],
    in registration: EntityRegistration
  ) throws {
    for name in names {
      guard let index = registration.layout.index(named: name), registration.isRelationship[index]
      else {
        throw SwiftDataError.unsupportedKeyPath.with(
          "a key path for prefetching leads to an attribute; name a relationship",
          entity: registration.entity.name,
          property: name
        )
      }
      for model in models { model.loadFault(index) }
    }
  }

  /// Forgets loaded to-many relationships when another context has saved since the last look.
  func absorbSavesOfOthers() {
    let current = core.changes.generation
    guard current != seenGeneration else { return }
    seenGeneration = current
    foldToMany()
  }

  /// Forgets loaded to-many relationships of objects without unsaved changes.
  func foldToMany() {
    let touched = pending.touchedModels
    for map in allIdentityMaps {
      for model in map.models
      where !model.isNeededByContext && !touched.contains(ObjectIdentifier(model)) {
        model.foldRelationships(toManyOnly: true)
      }
    }
  }

  /// Called once for each object that begins to differ from its row.
  func changeHappened() {
    guard autosaveEnabled else { return }
    autosave.schedule(for: self)
  }
}
