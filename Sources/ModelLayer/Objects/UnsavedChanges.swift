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

  /// Notes the first change of a property since the last save.
  func markDirty(_ index: Int) {
    guard let registration else { return }
    let context = registration.context
    // Through the protocol, each access of the state is a call.
    let (flags, dirty, _, _) = _ModelState.look(at: _$state)
    if flags.contains(.recorded) { context.willChange(self, at: index) }
    context.existingSaver?.changesDuringSave?.note(self)
    context.pending.existingIndex?.noteEdit(of: self)
    let bit = _ModelState.bit(index)
    guard dirty & bit == 0 || index >= 63, !flags.contains(.inserted) else { return }
    keepOriginal(of: index, by: context.reader)
    if flags.contains(.partial) { noteLoaded(index) }
    guard _$state.beginChange(bit) else { return }
    context.note(.changed, of: self)
    context.changeHappened()
  }

  private func keepOriginal(of index: Int, by reader: PropertyReader) {
    let extra = modelExtra
    if index >= 63, extra.originals.contains(where: { $0.index == index }) { return }
    let content: PropertyContent? =
      if registration?.isToMany[index] == true, !hasFault(at: index) {
        nil
      } else if extra.unreadable.contains(index), isUnloaded(index) {
        .failure(UnloadedValue())
      } else {
        reader.content(of: index, in: self)
      }
    extra.originals.append(Original(index: index, content: content))
  }

  /// Restores the contents of the properties before their first changes.
  func restoreOriginals() {
    guard let extra = existingExtra else { return }
    for index in extra.originals.reversed().map(\.index) {
      guard let content = original(of: index) else { continue }
      extra.members[index] = nil
      notifyingObservers(of: index) {
        try? PropertySetter.put(content, into: index, of: self)
      }
      if case .failure(is UnloadedValue) = content { noteUnloaded([index]) }
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
  /// Returns the flags, the changed bits, the key and the registration of an object, with one access of
  /// its state.
  ///
  /// The registration is returned as an address, which counts no reference.
  @inline(__always)
  static func look(
    at state: borrowing _ModelState
  ) -> (flags: Flags, dirty: UInt64, key: Int64, registration: UnsafeRawPointer?) {
    let address = state.registration.map {
      UnsafeRawPointer(Unmanaged.passUnretained($0).toOpaque())
    }
    return (state.flags, state.dirty, state.key, address)
  }

  /// Notes a change of a property, and returns whether it is the first of the object.
  fileprivate mutating func beginChange(_ bit: UInt64) -> Bool {
    dirty |= bit
    return flags.insert(.changed).inserted
  }

  /// Drops the original contents of the properties after a save, and returns the object's key.
  @discardableResult
  mutating func endChanges() -> Int64 {
    if let extra { unsafeDowncast(extra, to: ModelExtra.self).endChanges() }
    dirty = 0
    flags.remove(.changed)
    return key
  }
}
