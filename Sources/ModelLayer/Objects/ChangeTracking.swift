import StoreProtocol

extension PersistentModel {
  /// Notes the first change of a property since the last save.
  func markDirty(_ index: Int) {
    guard let registration else { return }
    if _$state.flags.contains(.recorded) { registration.context.willChange(self, at: index) }
    let bit = _ModelState.bit(index)
    guard _$state.dirty & bit == 0 || index >= 63, !_$state.flags.contains(.inserted) else {
      return
    }
    keepOriginal(of: index, by: registration.context.reader)
    if _$state.flags.contains(.partial) { noteLoaded(index) }
    _$state.dirty |= bit
    guard !_$state.flags.contains(.changed) else { return }
    _$state.flags.insert(.changed)
    registration.context.pending.change(self)
    registration.context.changeHappened()
  }

  private func keepOriginal(of index: Int, by reader: ContentWriter) {
    let extra = modelExtra
    if index >= 63, extra.originals.contains(where: { $0.index == index }) { return }
    let content = reader.content(of: index, in: self)
    extra.originals.append(Original(index: index, content: content))
  }

  /// Puts back what stood in the properties before their first changes.
  func restoreOriginals() {
    guard let extra = existingExtra else { return }
    for original in extra.originals.reversed() {
      extra.members[original.index] = nil
      notifyingObservers(of: original.index) {
        try? ContentReader.put(original.content, into: original.index, of: self)
      }
      if case .failure(is UnloadedValue) = original.content { noteUnloaded([original.index]) }
    }
    extra.originals = .none
    if extra.members.isEmpty { _$state.flags.remove(.hasPendingMembers) }
    extra.seenDeletions = 0
    _$state.dirty = 0
    _$state.flags.remove(.changed)
  }

  /// Forgets what stood in the properties before, once that is saved.
  func forgetOriginals() {
    existingExtra?.originals = .none
    _$state.dirty = 0
    _$state.flags.remove(.changed)
  }

  /// The indices of the properties that changed since the last save.
  var dirtyIndices: [Int] {
    let dirty = _$state.dirty
    guard dirty != 0 else { return [] }
    return (0..<Self._$count).filter { index in
      guard dirty & _ModelState.bit(index) != 0 else { return false }
      return index < 63 || existingExtra?.originals.contains { $0.index == index } == true
    }
  }
}

extension PersistentModel {
  /// The context that the object belongs to, nil before insertion and after its end.
  public var modelContext: ModelContext? { registration?.context.currentHandle() }

  /// Whether the object has changes that were not saved.
  public var hasChanges: Bool {
    !_$state.flags.isDisjoint(with: [.inserted, .changed, .deleted])
      && _$state.registration != nil
  }

  /// Whether the object was deleted, or its row is gone.
  public var isDeleted: Bool { !_$state.flags.isDisjoint(with: [.deleted, .vanished]) }
}
