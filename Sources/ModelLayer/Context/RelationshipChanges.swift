import ModelRuntime
import StoreProtocol

// Keeps both ends of relationships consistent, whichever end a program sets.

extension PersistentModel {
  /// Updates the other ends after a program set a to-many relationship of this object.
  ///
  /// If the list was edited at one place, only the objects of the edit are examined. Reading the list
  /// of an object in a context has dropped what no longer exists, and the others are in the context.
  /// An object without a context that has an inverse is in the context of the others, since each
  /// of them refers back to it.
  ///
  /// - Returns: The edit, or `nil` if all objects were examined.
  @discardableResult
  func membersDidChange<Model: PersistentModel>(
    _ index: Int,
    from old: [Model],
    to new: [Model]
  ) -> ListEdit<Model>? {
    // Closures and not key paths or casts of arrays: the program's types are not known here, so that
    // these would be made anew each time.
    guard !old.isEmpty, let edit = ListEdit(from: old, to: new),
      _$state.registration != nil || inverseIndex(of: index) != nil
        || edit.keepsOnlyNewObjects(in: new),
      !edit.added.contains(where: { $0.isGone })
    else {
      keepOriginal(of: index) { old.map { $0 } }
      relationshipDidChange(index, from: old.map { $0 }, to: new.map { $0 })
      return nil
    }
    if edit.indices == old.count..<old.count {
      noteAppended(to: index) { edit.added.map { $0 } }
    } else {
      keepOriginal(of: index) { old.map { $0 } }
    }
    relationshipDidChange(index, from: edit.removed.map { $0 }, to: edit.added.map { $0 })
    return edit
  }

  /// Updates the other ends after a program set a relationship of this object.
  func relationshipDidChange(
    _ index: Int,
    from old: [any PersistentModel],
    to new: [any PersistentModel]
  ) {
    let new = present(new, at: index)
    let before = Set(old.map(ObjectIdentifier.init))
    let after = old.isEmpty ? [] : Set(new.map(ObjectIdentifier.init))
    if let inverse = inverseIndex(of: index) {
      for target in old where !after.contains(ObjectIdentifier(target)) && !isUnrelated(to: target)
      {
        target.leave(self, at: inverse)
      }
      for target in new where !isUnrelated(to: target) {
        if before.contains(ObjectIdentifier(target)) {
          target.confirmMember(self, at: inverse)
        } else {
          target.join(self, at: inverse, forward: index)
        }
      }
    } else if let shared = sharedInverse(of: index) {
      let left = old.filter { !after.contains(ObjectIdentifier($0)) && !isUnrelated(to: $0) }
      let joined = new.filter { !before.contains(ObjectIdentifier($0)) && !isUnrelated(to: $0) }
      updateOtherEnds(shared, at: index, left: left, joined: joined)
    }
    insertIntoContext(new, from: index)
    unloadIfEnded(index)
  }

  /// Replaces a reference to a saved object by its key, if the context has ended.
  ///
  /// Otherwise the two objects would hold each other. A read finds the object by its key.
  func unloadIfEnded(_ index: Int) {
    _$state.flags.remove(.temporary)
    if let registration, registration.context.hasEnded, !registration.isToMany[index] {
      unloadRelationship(index)
    }
  }

  /// Whether an object belongs to another context, and must not be changed from here.
  ///
  /// The next save refuses the relationship.
  func isUnrelated(to other: any PersistentModel) -> Bool {
    guard let own = registration?.context, let others = other.registration?.context else {
      return false
    }
    return own !== others
  }

  /// The index of the inverse in the layout at the other end.
  func inverseIndex(of index: Int) -> Int? {
    if let registration { return registration.inverses[index] }
    return RelationshipEnds.of(ModelLayout.of(Self.self)).inverses[index]
  }

  func isToMany(_ index: Int) -> Bool {
    if let registration { return registration.isToMany[index] }
    return ModelLayout.of(Self.self).isToMany[index]
  }

  /// Removes an object from a relationship of this one.
  func leave(_ model: any PersistentModel, at index: Int) {
    if _$state.flags.contains(.outdated) { readOutdated() }
    if isToMany(index) { return changeMembers(at: index, removing: model) }
    let isTarget =
      switch PropertyReader.content(of: index, in: self) {
      case .models(let current): current.first === model
      case .fault(let key): model.persistentModelID.key == .integer(key)
      case .reference(let identifier): model.persistentModelID.key == identifier.key
      case .value, .failure: false
      }
    if isTarget { set([], at: index) }
  }

  /// Adds an object to a relationship of this one, which is the inverse of the object's own.
  func join(_ model: any PersistentModel, at index: Int, forward: Int) {
    if _$state.flags.contains(.outdated) { readOutdated() }
    if isToMany(index) { return changeMembers(at: index, adding: model) }
    if _$state.flags.contains(.tracked) { loadFault(index) }
    defer { unloadIfEnded(index) }
    if let previous = loadedObjects(at: index).first {
      if previous === model { return }
      previous.leave(self, at: forward)
    }
    set([model], at: index)
  }

  /// Sets a relationship without changing its other end.
  func set(_ models: [any PersistentModel], at index: Int) {
    if _$state.flags.contains(.tracked) { markDirty(index) }
    notifyingObservers(of: index) {
      try? PropertySetter.put(.models(models), into: index, of: self)
    }
  }

  /// Inserts objects into this one's context, or this one into theirs.
  private func insertIntoContext(_ others: [any PersistentModel], from index: Int) {
    if let context = registration?.context {
      for other in others where other._$state.registration == nil {
        context.insertGraph(other, from: (self, index))
      }
    } else if _$state.registration == nil, !isDeleted,
      let context = others.lazy.compactMap({ $0.registration?.context }).first
    {
      context.insertGraph(self)
    }
  }
}
