import ModelRuntime
import Observation
import StoreProtocol

// Macro-generated accessors call these functions when the fast path does not apply. They are public
// for the macros alone.

/// Returns the index of an ephemeral attribute in objects of a class, which may inherit it.
public func _ephemeral(_ name: String, in type: any PersistentModel.Type) -> Int {
  ModelLayout.of(type).index(named: name) ?? type._$count
}

/// Returns whether an index is that of an ephemeral attribute in objects of a class.
public func _isEphemeral(
  _ index: Int,
  _ name: String,
  in type: any PersistentModel.Type
) -> Bool {
  index >= type._$count && index == _ephemeral(name, in: type)
}

extension PersistentModel {
  /// Prepares the read of a property: loads missing data and notifies observers.
  @inline(never)
  public func _$willRead<Root: PersistentModel, Value>(
    _ index: Int,
    _ keyPath: @autoclosure () -> KeyPath<Root, Value>
  ) {
    if _$state.flags.contains(.probed) { return _$state.noteProbedRead(of: index) }
    loadForRead(index)
    if isObserved { access(keyPath()) }
  }

  /// Loads the missing data of a property.
  @inline(__always)
  func loadForRead(_ index: Int) {
    if _$state.flags.contains(.outdated) { readOutdated() }
    let flags = _$state.flags
    if flags.contains(.hasPendingMembers) { mergePendingMembers(index) }
    if flags.contains(.partial) { loadDeferred(index) }
    if flags.contains(.tracked), isRelationship(index) {
      loadFault(index)
      dropGone(index)
    }
  }

  /// Whether a property of a registered object is a relationship.
  @inline(__always)
  private func isRelationship(_ index: Int) -> Bool {
    // Most properties are not; the bit says so without retaining the registration.
    guard let bits = _$state.registration?.relationships, bits & _ModelState.bit(index) != 0 else {
      return false
    }
    return registration?.isRelationship[index] == true
  }

  private func access<Root: PersistentModel, Value>(_ keyPath: KeyPath<Root, Value>) {
    guard let subject = self as? Root else { return }
    existingExtra?.registrar?.access(subject, keyPath: keyPath)
  }

  /// Prepares the change of a property: keeps its old value, marks it, and notifies observers.
  @inline(never)
  public func _$willSet<Root: PersistentModel, Value>(
    _ index: Int,
    _ keyPath: @autoclosure () -> KeyPath<Root, Value>
  ) {
    let flags = _$state.flags
    loadForChange(index)
    if flags.contains(.tracked) { markDirty(index) }
    if flags.contains(.observed), let subject = self as? Root {
      existingExtra?.registrar?.willSet(subject, keyPath: keyPath())
    }
  }

  /// Loads the objects of a relationship that is about to change, without those that no longer exist.
  @inline(__always)
  func loadForChange(_ index: Int) {
    // The other end of a relationship is that of the stored value.
    if _$state.flags.contains(.outdated), isRelationship(index) { readOutdated() }
    let flags = _$state.flags
    if flags.contains(.hasPendingMembers) { mergePendingMembers(index) }
    guard flags.contains(.tracked), isRelationship(index) else { return }
    loadFault(index)
    dropGone(index)
    _$state.flags.remove(.temporary)
  }

  /// Finishes the change of a plain value.
  public func _$didSet<Root: PersistentModel, Value>(
    _ index: Int,
    _ keyPath: @autoclosure () -> KeyPath<Root, Value>
  ) {
    guard _$state.flags.contains(.observed), let subject = self as? Root else { return }
    // An observer may have fetched between the two.
    registration?.context.pending.existingIndex?.noteEdit(of: self)
    existingExtra?.registrar?.didSet(subject, keyPath: keyPath())
  }

  /// Finishes the change of an attribute in a slot.
  @_disfavoredOverload
  public func _$didSet<Root: PersistentModel, Value, V>(
    _ index: Int,
    _ keyPath: @autoclosure () -> KeyPath<Root, Value>,
    from old: _Slot<V>,
    to new: _Slot<V>
  ) {
    forgetEditedArray(at: index)
    _$didSet(index, keyPath())
  }

  /// Finishes the change of a to-one relationship.
  public func _$didSet<Root: PersistentModel, Value, M: PersistentModel>(
    _ index: Int,
    _ keyPath: @autoclosure () -> KeyPath<Root, Value>,
    from old: _Slot<M>,
    to new: _Slot<M>
  ) {
    relationshipDidChange(
      index,
      from: old.value.map { [$0] } ?? [],
      to: new.value.map { [$0] } ?? []
    )
    _$didSet(index, keyPath())
  }

  /// Finishes the change of a to-one relationship that may be absent.
  public func _$didSet<Root: PersistentModel, Value, M: PersistentModel>(
    _ index: Int,
    _ keyPath: @autoclosure () -> KeyPath<Root, Value>,
    from old: _Slot<M?>,
    to new: _Slot<M?>
  ) {
    let before = old.value ?? nil
    let after = new.value ?? nil
    relationshipDidChange(index, from: before.map { [$0] } ?? [], to: after.map { [$0] } ?? [])
    _$didSet(index, keyPath())
  }

  /// Finishes the change of a to-many relationship.
  public func _$didSet<Root: PersistentModel, Value, M: PersistentModel>(
    _ index: Int,
    _ keyPath: @autoclosure () -> KeyPath<Root, Value>,
    from old: _Slot<[M]>,
    to new: _Slot<[M]>
  ) {
    membersDidChange(index, from: old.value ?? [], to: new.value ?? [])
    forgetEditedArray(at: index)
    _$didSet(index, keyPath())
  }

  /// Finishes the change of a to-many relationship that may be absent.
  public func _$didSet<Root: PersistentModel, Value, M: PersistentModel>(
    _ index: Int,
    _ keyPath: @autoclosure () -> KeyPath<Root, Value>,
    from old: _Slot<[M]?>,
    to new: _Slot<[M]?>
  ) {
    membersDidChange(index, from: (old.value ?? []) ?? [], to: (new.value ?? []) ?? [])
    forgetEditedArray(at: index)
    _$didSet(index, keyPath())
  }
}
