import StoreProtocol

extension ContextState {
  /// Loads the relationships that a descriptor names, one query each.
  func prefetch<T: PersistentModel>(
    _ descriptor: FetchDescriptor<T>,
    for models: [T],
    in registration: EntityRegistration
  ) throws {
    for path in descriptor.relationshipKeyPathsForPrefetching {
      guard let index = registration.layout.index(of: path), registration.isRelationship[index]
      else {
        throw SwiftDataError.unsupportedKeyPath.with(
          "a key path for prefetching is not a relationship of the model",
          entity: registration.entity.name
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
    for map in allIdentityMaps {
      for model in map.models where !model.isNeededByContext {
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
