import ModelRuntime
import StoreProtocol

/// Restores the state of a context before a record's changes.
///
/// An undo is a change like others: it is recorded, which makes the redo, it is pending until the
/// next save, and observers are notified of it. Objects that changed their state since the record
/// are skipped.
struct UndoRestoration {
  private let context: ContextState

  init(in context: ContextState) { self.context = context }

  /// Restores the state before a record's changes.
  func restore(_ record: UndoRecord) {
    defer { context.pending.existingIndex = nil }
    for (model, wasMember) in record.memberships where wasMember { revive(model) }
    let moves = record.contents.compactMap { put($0.content, at: $0.index, of: $0.model) }
    for move in moves { move.adjustOtherEnds() }
    for (model, wasMember) in record.memberships where !wasMember { withdraw(model) }
    for move in moves { move.model.forgetUnchanged() }
    for (model, wasMember) in record.memberships where wasMember {
      for index in model.registration?.relationshipIndices ?? [] {
        context.rejoinLists(model, at: index)
      }
    }
    for move in moves where !move.model.dirtyIndices.contains(move.index) {
      context.rejoinLists(move.model, at: move.index)
    }
    if context.feed.hasOutdatedLists { context.feed.unloadToMany() }
  }

  /// Restores a deleted object, as a new one if its row no longer exists.
  private func revive(_ model: any PersistentModel) {
    guard model._$state.flags.contains(.deleted) else { return }
    if context.isMember(model) {
      context.undelete(model)
    } else if model._$state.registration == nil {
      model._$state.version = 0
      _ = context.register(new: model)
    }
  }

  /// Removes an object that did not exist before, without applying its delete rules to others.
  private func withdraw(_ model: any PersistentModel) {
    guard let registration = model.registration, registration.context === context,
      !model.isMarkedDeleted
    else { return }
    context.undo?.willDelete(model, contents: model.loadedContent)
    context.updater?.noteMembershipChange(of: model)
    model._$state.flags.insert(.deleted)
    context.pending.delete(model, areRulesApplied: true)
    context.changeHappened()
    // Links without a record: they were made while nothing was recorded.
    for index in registration.relationshipIndices {
      guard let inverse = registration.inverses[index] else { continue }
      for other in model.related(at: index) where other !== model && context.isMember(other) {
        if other.isLinked(to: model, at: inverse) { other.leave(model, at: inverse) }
      }
    }
  }

  /// Restores a content in a property, and returns the objects that were removed and added by that.
  private func put(
    _ recorded: PropertyContent,
    at index: Int,
    of recordedModel: any PersistentModel
  ) -> RestoredProperty? {
    guard let model = current(recordedModel) else { return nil }
    let content = current(recorded)
    let before = model.loadedContent(at: index)
    guard !before.isSame(as: content) else { return nil }
    model.markDirty(index)
    model.notifyingObservers(of: index) {
      try? PropertySetter.put(content, into: index, of: model)
    }
    return RestoredProperty(
      model: model,
      index: index,
      from: before,
      to: model.loadedContent(at: index)
    )
  }

  /// Returns a content with the objects that the context has now.
  private func current(_ content: PropertyContent) -> PropertyContent {
    guard case .models(let models) = content else { return content }
    // Of two objects, one may have become an update of the other.
    var seen: Set<ObjectIdentifier> = []
    return .models(models.compactMap(current).filter { seen.insert(ObjectIdentifier($0)).inserted })
  }

  /// Returns the object that the context has now for an object, or `nil` if there is none.
  private func current(_ model: any PersistentModel) -> (any PersistentModel)? {
    if context.isMember(model) { return model }
    // A new object that became an update of another one at a save.
    guard !model.isDeleted, !model.persistentModelID.isTemporary else { return nil }
    let row = model.persistentModelID
    return context.registration(named: row.entityName)?.identityMap.model(for: row.key)
  }
}

/// A property that was restored.
private struct RestoredProperty {
  let model: any PersistentModel
  let index: Int
  private let left: [any PersistentModel]
  private let joined: [any PersistentModel]

  init(
    model: any PersistentModel,
    index: Int,
    from before: PropertyContent,
    to after: PropertyContent
  ) {
    self.model = model
    self.index = index
    left = before.models(without: after)
    joined = after.models(without: before)
  }

  /// Updates other ends that no record restored.
  func adjustOtherEnds() {
    guard let inverse = model.inverseIndex(of: index) else { return }
    for other in left where other.isLinked(to: model, at: inverse) {
      other.leave(model, at: inverse)
    }
    for other in joined where !other.isLinked(to: model, at: inverse) {
      other.join(model, at: inverse, forward: index)
    }
  }
}

extension PropertyContent {
  /// Returns the objects of a relationship that another content lacks.
  fileprivate func models(without other: PropertyContent) -> [any PersistentModel] {
    guard case .models(let models) = self else { return [] }
    guard case .models(let others) = other else { return models }
    let excluded = Set(others.map(ObjectIdentifier.init))
    return models.filter { !excluded.contains(ObjectIdentifier($0)) }
  }
}

extension PersistentModel {
  /// Returns the content of a property after loading a relationship and applying its noted changes.
  func loadedContent(at index: Int) -> PropertyContent {
    mergePendingMembers(index)
    if _$state.flags.contains(.tracked) { loadFault(index) }
    return PropertyReader.content(of: index, in: self)
  }

  /// Clears the marks of properties that are again equal to their contents at the last save.
  func forgetUnchanged() {
    guard _$state.flags.contains(.changed), let registration, let extra = existingExtra else {
      return
    }
    for original in extra.originals { mergePendingMembers(original.index) }
    let same = extra.originals.map(\.index).filter { index in
      let current = PropertyReader.content(of: index, in: self)
      return original(of: index).map(current.isSame) ?? true
    }
    guard !same.isEmpty else { return }
    let indices = Set(same)
    extra.originals.removeAll { indices.contains($0.index) }
    let kept = extra.originals.reduce(0) { $0 | _ModelState.bit($1.index) }
    _$state.dirty &= ~indices.reduce(0) { $0 | _ModelState.bit($1) } | kept
    guard _$state.dirty == 0 else { return }
    _$state.flags.remove(.changed)
    registration.context.pending.mayRepeat = true
  }
}
