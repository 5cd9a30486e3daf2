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
    let isStored = registration?.entity.properties[index].isDerivedToMany == false
    if _$state.flags.contains(.tracked), isStored {
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

  /// Applies the noted changes of a to-many relationship.
  func mergePendingMembers(_ index: Int) {
    guard let extra = existingExtra, let changes = extra.members[index] else { return }
    if _$state.flags.contains(.tracked) { loadFault(index) }
    guard extra.members[index] != nil else { return }
    let members = Self.merged(loadedObjects(at: index), with: changes)
    try? ContentReader.put(.models(members), into: index, of: self)
    extra.members[index] = nil
    if extra.members.isEmpty { _$state.flags.remove(.hasPendingMembers) }
    _$state.flags.remove(.temporary)
  }

  private static func merged(
    _ members: [any PersistentModel],
    with changes: MemberChanges
  ) -> [any PersistentModel] {
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
      guard case .models = ContentWriter.content(of: index, in: self) else { continue }
      mergePendingMembers(index)
    }
    extra.members = [:]
    _$state.flags.remove(.hasPendingMembers)
  }
}
