import StoreProtocol

extension ContextState {
  /// Applies the delete rules for objects that were marked since the last time.
  func processPendingChanges() {
    while !pending.unruled.isEmpty {
      let models = EntityRun.related(EntityRun.runs(of: pending.unruled)).filter(\.isMarkedDeleted)
      pending.unruled = []
      gather(models)
      for model in models { applyRules(to: model) }
    }
  }

  /// Clears references to deleted objects at their other ends, if no rule did so.
  ///
  /// That is the effect of `noAction` when the deletion is saved: a reference never refers to an
  /// object that does not exist.
  func releaseOthers(of runs: [EntityRun]) {
    let models = EntityRun.related(runs)
    gather(models)
    for model in models {
      guard let registration = model.registration else { continue }
      for (index, property) in registration.entity.properties.enumerated() {
        guard let inverse = registration.inverses[index],
          let rule = property.relationship?.deleteRule,
          rule != DeleteRule.cascade.rawValue, rule != DeleteRule.nullify.rawValue
        else { continue }
        clear(inverse, of: model.related(at: index), from: model)
      }
    }
  }

  /// Removes a deleted object from the relationships of objects that are not deleted.
  private func clear(
    _ inverse: Int,
    of others: [any PersistentModel],
    from model: any PersistentModel
  ) {
    for other in others where !other.isMarkedDeleted {
      other.leave(model, at: inverse)
      pending.cleared.insert(other, inverse)
    }
  }

  private typealias DeleteRule = Schema.Relationship.DeleteRule

  /// Groups the deleted objects, so that their relationships are loaded together.
  private func gather(_ models: [any PersistentModel]) {
    var seen: Set<ObjectIdentifier> = []
    for map in models.lazy.compactMap({ $0.registration?.identityMap })
    where seen.insert(ObjectIdentifier(map)).inserted {
      map.noteFetched(models)
    }
  }

  private func applyRules(to model: any PersistentModel) {
    guard let registration = model.registration else { return }
    for (index, property) in registration.entity.properties.enumerated() {
      guard let relationship = property.relationship else { continue }
      switch DeleteRule(rawValue: relationship.deleteRule) ?? .nullify {
      case .cascade:
        for other in model.related(at: index) { markDeleted(other, byRule: true) }
      case .nullify:
        guard let inverse = registration.inverses[index] else { continue }
        clear(inverse, of: model.related(at: index), from: model)
      case .noAction, .deny:
        continue
      }
    }
  }
}

extension PersistentModel {
  /// Returns the objects of a relationship, and loads it if necessary.
  func related(at index: Int) -> [any PersistentModel] {
    mergePendingMembers(index)
    if _$state.flags.contains(.tracked) {
      loadFault(index)
      dropGone(index)
    }
    return loadedObjects(at: index)
  }
}
