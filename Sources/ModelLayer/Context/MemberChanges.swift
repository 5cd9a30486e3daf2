import StoreProtocol

// To-many relationships that change from their other end. The change is noted and applied when the
// relationship is next read. The cost of adding many elements is therefore linear, and a
// relationship that is not read is not loaded.

extension PersistentModel {
  /// Notes that an object was added to a to-many relationship.
  ///
  /// It is then the last element, even if it was an element before and was removed in between.
  func changeMembers(at index: Int, adding model: any PersistentModel) {
    noteMembers(at: index) { $0.add(model) }
    if model.isSaved { registration?.context.note(.joined(index), of: self) }
  }

  /// Notes that an object, which refers to this one, was set to refer to it again.
  ///
  /// Another save may take it away, which the save of this context reverts, at both ends.
  func confirmMember(_ model: any PersistentModel, at index: Int) {
    guard isSaved, model.isSaved, let property = registration?.entity.properties[index] else {
      return
    }
    if property.isToOne { return markDirty(index) }
    guard property.isDerivedToMany else { return }
    modelExtra.members[index, default: MemberChanges()].add(model)
    _$state.flags.insert(.hasPendingMembers)
    registration?.context.note(.touched(index), of: self)
  }

  /// Notes that an object was removed from a to-many relationship.
  func changeMembers(at index: Int, removing model: any PersistentModel) {
    noteMembers(at: index) { $0.remove(model, isSaved: model.isSaved) }
  }

  /// Whether the object is in a context and has a row.
  private var isSaved: Bool {
    _$state.flags.contains(.tracked) && !_$state.flags.contains(.inserted)
  }

  private func noteMembers(at index: Int, _ change: (inout MemberChanges) -> Void) {
    if _$state.flags.contains(.recorded) { registration?.context.willChange(self, at: index) }
    if _$state.flags.contains(.tracked), registration?.facts.isListed[index] == true {
      loadFault(index)
      _$state.flags.remove(.temporary)
      markDirty(index)
    } else if !_$state.flags.contains(.inserted) {
      registration?.context.note(.touched(index), of: self)
    }
    notifyingObservers(of: index) {
      change(&modelExtra.members[index, default: MemberChanges()])
      _$state.flags.insert(.hasPendingMembers)
    }
  }

  /// Whether unsaved changes of this object take it away from a relationship of another, which its
  /// row is still in.
  ///
  /// The other object may not know of it: when this one changed, it belonged to another owner, or to
  /// none, as far as the context knew.
  func hasLeft(_ owner: any PersistentModel, _ inverse: Int?) -> Bool {
    let (flags, dirty, _, _) = _ModelState.look(at: _$state)
    guard !flags.isDisjoint(with: [.changed, .deleted]) else { return false }
    if flags.contains(.deleted) { return true }
    guard let inverse, dirty & _ModelState.bit(inverse) != 0 else { return false }
    return !isRelated(to: owner, at: inverse)
  }

  /// Whether a relationship of this object, which has unsaved changes, contains another object.
  private func isRelated(to other: any PersistentModel, at index: Int) -> Bool {
    if existingExtra?.members[index]?.adds(other) == true { return true }
    return contains(other, PropertyReader.content(of: index, in: self), at: index)
  }

  /// Whether a relationship of this object contained another object before its unsaved changes.
  ///
  /// That one then knows of the changes.
  func wasRelated(to other: any PersistentModel, at index: Int) -> Bool {
    original(of: index).map { contains(other, $0, at: index) } ?? false
  }

  private func contains(
    _ other: any PersistentModel,
    _ content: PropertyContent,
    at index: Int
  ) -> Bool {
    switch content {
    case .models(let models): models.contains { $0 === other }
    case .fault(let key): isToMany(index) || other.persistentModelID.key == .integer(key)
    case .reference(let identifier): other.persistentModelID.key == identifier.key
    case .value, .failure: true
    }
  }

  /// Unloads a to-many relationship that changed from its other end, and notes these changes again.
  ///
  /// - Returns: Whether that is possible.
  func unloadChangedMembers(_ index: Int) -> Bool {
    guard !isMarkedDeleted, let inverse = inverseIndex(of: index) else { return false }
    guard case .models(let models) = PropertyReader.content(of: index, in: self) else {
      return true
    }
    let noted = existingExtra?.members[index]
    var changes = MemberChanges()
    for model in models where noted?.removed.contains(ObjectIdentifier(model)) != true {
      let (flags, dirty, _, _) = _ModelState.look(at: model._$state)
      let isJoined = flags.contains(.inserted) || dirty & _ModelState.bit(inverse) != 0
      if isJoined, model.isRelated(to: self, at: inverse) { changes.add(model) }
    }
    if let noted { changes.append(noted) }
    modelExtra.members[index] = changes
    _$state.flags.insert(.hasPendingMembers)
    unloadRelationship(index)
    return true
  }

  /// Forgets the noted changes of a to-many relationship that concern one object, and unloads it.
  ///
  /// The object's own relationship is again that of its row.
  func forgetMemberChanges(at index: Int, of model: any PersistentModel) {
    guard isSaved, registration?.entity.properties[index].isDerivedToMany == true,
      !dirtyIndices.contains(index)
    else { return }
    existingExtra?.members[index]?.forget(model)
    _ = unloadChangedMembers(index)
  }

  /// Applies the noted changes of a to-many relationship.
  func mergePendingMembers(_ index: Int) {
    guard let extra = existingExtra, let changes = extra.members[index] else { return }
    if _$state.flags.contains(.tracked) { loadFault(index) }
    guard extra.members[index] != nil else { return }
    let members = Self.merged(loadedObjects(at: index), with: changes)
    try? PropertySetter.put(.models(members), into: index, of: self)
    extra.members[index] = nil
    if extra.members.isEmpty { _$state.flags.remove(.hasPendingMembers) }
    _$state.flags.remove(.temporary)
  }

  private static func merged(
    _ members: [any PersistentModel],
    with changes: MemberChanges
  ) -> [any PersistentModel] {
    if members.isEmpty { return changes.added.filter { !$0.isGone } }
    let kept = members.filter { !changes.removed.contains(ObjectIdentifier($0)) }
    var present = Set(kept.map(ObjectIdentifier.init))
    return kept
      + changes.added.filter { present.insert(ObjectIdentifier($0)).inserted && !$0.isGone }
  }

  /// Clears the noted changes once they are stored: the relationship is loaded when it is next
  /// read.
  func forgetMemberChanges() {
    guard let extra = existingExtra, !extra.members.isEmpty else { return }
    for index in extra.members.keys {
      guard case .models = PropertyReader.content(of: index, in: self) else { continue }
      mergePendingMembers(index)
    }
    extra.members = [:]
    _$state.flags.remove(.hasPendingMembers)
  }
}
