import ModelRuntime
import StoreProtocol

/// Objects whose rows no longer exist.
extension ContextState {
  /// Removes an object from the context whose row no longer exists.
  ///
  /// It keeps its identifier and its last values.
  func vanish(_ model: any PersistentModel) {
    guard let registration = model.registration, registration.context === self else { return }
    registration.identityMap.remove(model.persistentModelID.key)
    model.detach()
    model.releaseRelated { _ in true }
    model._$state.flags.insert(.vanished)
  }

  /// Handles the removal of a row by another context.
  ///
  /// An object with unsaved changes is unchanged, so that the next save reports the conflict.
  func noteRemoval(of identifier: PersistentIdentifier) {
    guard let entry = entry(of: identifier), entry.isOfStore,
      let model = entry.registration.identityMap.model(for: identifier.key),
      !model.isNeededByContext
    else { return }
    vanish(model)
  }

  /// Checks which objects still exist after many rows were removed.
  func noteErasure() {
    forEachBatch(of: objects.all.filter { !$0.isNeededByContext }) { models, registration in
      let query = StoreQuery.rows(models.map(\.persistentModelID), of: registration.entity.name)
      // If the store cannot tell, the objects stay; saving or refreshing them will throw.
      guard let left = try? registration.backend.identifiers(query, as: nil) else { return }
      let present = Set(left)
      for model in models where !present.contains(model.persistentModelID) { vanish(model) }
    }
  }
}
