import StoreProtocol

/// Objects whose rows are gone.
extension ContextState {
  /// Takes an object out of the context whose row is gone.
  ///
  /// It keeps its identifier and its last known values.
  func vanish(_ model: any PersistentModel) {
    guard let registration = model.registration, registration.context === self else { return }
    registration.identityMap.remove(model.persistentModelID.key)
    model.detach()
    model.letGoOfRelated { _ in true }
    model._$state.flags.insert(.vanished)
  }

  /// Takes note that another context removed a row.
  ///
  /// An object with unsaved changes stays as it is, so that the next save reports what became of
  /// them.
  func noteRemoval(of identifier: PersistentIdentifier) {
    guard let place = place(of: identifier), place.isOfStore,
      let model = place.registration.identityMap.model(for: identifier.key),
      !model.isNeededByContext
    else { return }
    vanish(model)
  }

  /// Looks which objects are left after many rows were removed.
  func noteErasure() {
    for map in allIdentityMaps {
      let models = map.models.filter { !$0.isNeededByContext }
      for case (let registration?, let all) in Dictionary(grouping: models, by: \.registration) {
        let query = StoreQuery.rows(all.map(\.persistentModelID), of: registration.entity.name)
        // Where the store cannot say, the objects stay, and saving or refreshing them will tell.
        guard let left = try? registration.backend.identifiers(query, as: nil) else { continue }
        let present = Set(left)
        for model in all where !present.contains(model.persistentModelID) { vanish(model) }
      }
    }
  }
}
