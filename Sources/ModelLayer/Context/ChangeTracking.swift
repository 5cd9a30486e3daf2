import StoreProtocol

extension PersistentModel {
  /// Notes the first change of a property since the last save.
  func markDirty(_ index: Int) {
    guard let registration else { return }
    let context = registration.context
    // Through the protocol, each access of the state is a call.
    let (flags, dirty) = _ModelState.changes(_$state)
    if flags.contains(.recorded) { context.willChange(self, at: index) }
    context.existingSaver?.changesDuringSave?.note(self)
    context.pending.index.noteEdit(of: self)
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
    let isUnreadable = extra.unreadable.contains(index) && isUnloaded(index)
    let content =
      isUnreadable ? .failure(UnloadedValue()) : reader.content(of: index, in: self)
    extra.originals.append(Original(index: index, content: content))
  }
}

extension _ModelState {
  /// Returns the flags and the changed bits of an object, with one access of its state.
  @inline(__always)
  static func changes(_ state: borrowing _ModelState) -> (flags: Flags, dirty: UInt64) {
    (state.flags, state.dirty)
  }

  /// Notes a change of a property, and returns whether it is the first of the object.
  fileprivate mutating func beginChange(_ bit: UInt64) -> Bool {
    dirty |= bit
    return flags.insert(.changed).inserted
  }
}

extension PersistentModel {
  /// The context of the object, or `nil` before insertion and after the context's end.
  public var modelContext: ModelContext? { registration?.context.currentHandle() }
}
