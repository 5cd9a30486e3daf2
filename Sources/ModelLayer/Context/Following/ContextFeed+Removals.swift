import ModelRuntime
import StoreProtocol

extension ContextFeed {
  /// Handles the removals of rows by other contexts.
  ///
  /// Objects with unsaved changes are unchanged, so that the next save reports the conflict. They
  /// are looked at again later, since a change may be reverted, or be none.
  func noteRemovals() {
    let removed = postponedRemovals
    postponedRemovals = []
    for identifier in removed { noteRemoval(of: identifier) }
    if isErasurePostponed { noteErasure() }
  }

  private func noteRemoval(of identifier: PersistentIdentifier) {
    guard let entry = context.entry(of: identifier), entry.isOfStore,
      let model = entry.registration.identityMap.model(for: identifier.key)
    else { return }
    if model.isNeededByContext {
      postponedRemovals.append(identifier)
    } else {
      context.vanish(model)
    }
  }

  /// Checks which objects still exist after many rows were removed.
  private func noteErasure() {
    isErasurePostponed = context.objects.all.contains(where: \.isNeededByContext)
    let unchanged = context.objects.all.filter { !$0.isNeededByContext }
    context.loader.forEachBatch(of: unchanged) { models, _ in
      // If the store cannot tell, the objects stay; saving or refreshing them will throw.
      _ = try? dropMissingRows(of: models)
    }
  }

  /// Removes those of some saved objects whose rows no longer exist, and returns whether there are any.
  ///
  /// - Throws: Errors of reading.
  func dropMissingRows(of models: [any PersistentModel]) throws -> Bool {
    var hasDropped = false
    try context.loader.forEachBatch(of: models) { models, registration in
      let query = StoreQuery.rows(models.map(\.persistentModelID), of: registration.entity.name)
      let present = Set(try registration.store.rowIdentifiers(of: query))
      for model in models where !present.contains(model.persistentModelID) {
        context.vanish(model)
        hasDropped = true
      }
    }
    return hasDropped
  }
}
