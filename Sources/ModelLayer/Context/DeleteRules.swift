import StoreProtocol

/// Carries out the delete rules of the objects that a context deletes.
struct DeleteRules {
  private let context: ContextState

  init(in context: ContextState) { self.context = context }

  /// Carries out the rules before a save, on what others have stored until now.
  ///
  /// A store on a server does not tell without a request whether others have saved, so that loaded
  /// relationships of deleted objects are loaded again.
  func carryOutBeforeSave() {
    let related = EntityRun.related(context.pending.deletedObjects.runs)
    guard !related.isEmpty else { return carryOut() }
    context.feed.applySavesOfOthers()
    let isRemote = related.contains { $0.registration?.store.capabilities.isRemote == true }
    if isRemote { context.pending.applyRulesAgain() }
    carryOut(isSaving: true, isRemote: isRemote)
  }

  /// Carries out the rules of objects that were deleted since the last time.
  func carryOut(isSaving: Bool = false, isRemote: Bool = false) {
    while !context.pending.unruled.isEmpty {
      let runs = EntityRun.runs(of: context.pending.unruled)
      let models = EntityRun.related(runs).filter(\.isMarkedDeleted)
      context.pending.unruled = []
      if isRemote {
        for model in models {
          context.feed.unloadLists(of: model, except: context.pending.touched)
        }
      }
      gather(models)
      if isSaving, context.feed.hasOutdatedLists {
        for model in models { addMembersOfOthers(to: model) }
      }
      for model in models { carryOutRules(of: model) }
    }
  }

  /// Merges the changes of others into to-many relationships of an object that have unsaved changes.
  private func addMembersOfOthers(to model: any PersistentModel) {
    guard let registration = model.registration else { return }
    for index in registration.relationshipIndices
    where registration.isToMany[index] && !model.hasFault(at: index) {
      let current = model.related(at: index)
      let before = model.original(of: index)
      try? PropertySetter.put(.fault(0), into: index, of: model)
      let stored = model.related(at: index)
      let isDerived = registration.entity.properties[index].isDerivedToMany
      var known = Set(current.map(ObjectIdentifier.init))
      if !isDerived, case .models(let models)? = before {
        known.formUnion(models.map(ObjectIdentifier.init))
      }
      let inverse = registration.inverses[index]
      let added = stored.filter { other in
        if known.contains(ObjectIdentifier(other)) { return false }
        guard isDerived, let inverse else { return true }
        return other.reference(at: inverse) == model.persistentModelID.key
      }
      try? PropertySetter.put(.models(current + added), into: index, of: model)
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
      // A change without effect would be one more for an undo manager.
      if context.pending.hasRepeatedRules, other.hasRemoved(model, at: inverse) { continue }
      other.leave(model, at: inverse)
      context.pending.cleared.insert(other, inverse)
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

  /// Reverts the deletions of objects that are no longer related to a deleted one, because others have
  /// changed the relationship since its rules were applied.
  private func keepFormer(of model: any PersistentModel) {
    let former = context.pending.objects(deletedWith: model)
    guard !former.isEmpty, let registration = model.registration else { return }
    var related: Set<ObjectIdentifier> = []
    for index in registration.relationshipIndices
    where registration.entity.properties[index].deleteRule == .cascade {
      related.formUnion(model.related(at: index).map(ObjectIdentifier.init))
    }
    for other in former where !related.contains(ObjectIdentifier(other)) {
      if context.pending.removeCause(model, of: other) { context.keep(other) }
    }
  }

  private func carryOutRules(of model: any PersistentModel) {
    guard let registration = model.registration, model.isMarkedDeleted else { return }
    if context.pending.hasRepeatedRules { keepFormer(of: model) }
    for (index, property) in registration.entity.properties.enumerated() {
      guard let relationship = property.relationship else { continue }
      switch DeleteRule(rawValue: relationship.deleteRule) ?? .nullify {
      case .cascade:
        for other in model.related(at: index) { context.markDeleted(other, .rule(of: model)) }
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
  /// Whether an object is certainly not in a relationship of this one.
  fileprivate func hasRemoved(_ model: any PersistentModel, at index: Int) -> Bool {
    if let changes = existingExtra?.members[index] {
      return changes.removed.contains(ObjectIdentifier(model)) && !changes.adds(model)
    }
    guard case .models(let models) = PropertyReader.content(of: index, in: self) else {
      return false
    }
    return !models.contains { $0 === model }
  }

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
