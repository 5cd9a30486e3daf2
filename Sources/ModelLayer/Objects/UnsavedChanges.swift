import StoreProtocol

extension PersistentModel {
  /// A Boolean value that indicates whether the object has unsaved changes.
  public var hasChanges: Bool {
    !_$state.flags.isDisjoint(with: [.inserted, .changed, .deleted])
      && _$state.registration != nil
  }

  /// A Boolean value that indicates whether the object was deleted, or its row no longer exists.
  public var isDeleted: Bool { !_$state.flags.isDisjoint(with: [.deleted, .vanished]) }

  /// Whether the object's deletion was saved, or its row no longer exists.
  var isGone: Bool {
    _$state.registration == nil && !_$state.flags.isDisjoint(with: [.deleted, .vanished])
  }

  /// Restores the contents of the properties before their first changes.
  func restoreOriginals() {
    guard let extra = existingExtra else { return }
    for original in extra.originals.reversed() {
      extra.members[original.index] = nil
      notifyingObservers(of: original.index) {
        try? PropertySetter.put(original.content, into: original.index, of: self)
      }
      if case .failure(is UnloadedValue) = original.content { noteUnloaded([original.index]) }
    }
    extra.endChanges()
    if extra.members.isEmpty { _$state.flags.remove(.hasPendingMembers) }
    extra.seenDeletions = 0
    _$state.dirty = 0
    _$state.flags.remove(.changed)
  }

  /// The indices of the properties that changed since the last save.
  var dirtyIndices: [Int] {
    let dirty = _$state.dirty
    guard dirty != 0, let registration else { return [] }
    return registration.layout.properties.indices.filter { index in
      guard dirty & _ModelState.bit(index) != 0 else { return false }
      return index < 63 || existingExtra?.originals.contains { $0.index == index } == true
    }
  }
}

extension _ModelState {
  /// Drops the original contents of the properties after a save, and returns the object's key.
  @discardableResult
  mutating func endChanges() -> Int64 {
    if let extra { unsafeDowncast(extra, to: ModelExtra.self).endChanges() }
    dirty = 0
    flags.remove(.changed)
    return key
  }
}
