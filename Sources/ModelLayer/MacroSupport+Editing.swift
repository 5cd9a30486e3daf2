import ModelRuntime
import StoreProtocol

// Macro-generated accessors edit arrays in place by these functions. Swift copies an array before a
// change if something else refers to it. During the edit, the slot therefore has its elements in a second
// array: code within the edit reads the property as it was before. No access of the slot lasts, so such
// code may also set it. These functions are public for the macros alone.

extension PersistentModel {
  /// Returns the content of an attribute's slot during the edit of a value that is no array.
  ///
  /// The value is in both, so that Swift copies a collection before its first change.
  @_disfavoredOverload
  public func _$lend<V>(_ value: V, _ index: Int) -> _Slot<V> { _Slot(value) }

  /// Returns the content of an array's slot during the edit of its elements.
  public func _$lend<Element>(_ elements: [Element], _ index: Int) -> _Slot<[Element]> {
    _Slot(lentElements(elements, at: index))
  }

  /// Returns the content of the slot of an array that may be absent, likewise.
  public func _$lend<Element>(_ elements: [Element]?, _ index: Int) -> _Slot<[Element]?> {
    _Slot(elements.map { lentElements($0, at: index) })
  }

  /// Prepares the end of an edit, within which code may have changed or saved the object.
  public func _$willReturn(_ index: Int) {
    loadForChange(index)
    let flags = _$state.flags
    guard flags.contains(.tracked), !flags.contains(.inserted),
      _$state.dirty & _ModelState.bit(index) == 0
    else { return }
    markDirty(index)
  }

  /// Finishes the edit of an attribute.
  @_disfavoredOverload
  public func _$didEdit<Root: PersistentModel, Value, V>(
    _ index: Int,
    _ keyPath: @autoclosure () -> KeyPath<Root, Value>,
    from old: inout _Slot<V>,
    to new: _Slot<V>
  ) {
    _$didSet(index, keyPath())
  }

  /// Finishes the edit of a to-many relationship.
  public func _$didEdit<Root: PersistentModel, Value, M: PersistentModel>(
    _ index: Int,
    _ keyPath: @autoclosure () -> KeyPath<Root, Value>,
    from old: inout _Slot<[M]>,
    to new: _Slot<[M]>
  ) {
    let edit = membersDidChange(index, from: old.value ?? [], to: new.value ?? [])
    old = _Slot(fault: 0)
    follow(edit, at: index)
    _$didSet(index, keyPath())
  }

  /// Finishes the edit of a to-many relationship that may be absent.
  public func _$didEdit<Root: PersistentModel, Value, M: PersistentModel>(
    _ index: Int,
    _ keyPath: @autoclosure () -> KeyPath<Root, Value>,
    from old: inout _Slot<[M]?>,
    to new: _Slot<[M]?>
  ) {
    let edit = membersDidChange(index, from: (old.value ?? []) ?? [], to: (new.value ?? []) ?? [])
    old = _Slot(fault: 0)
    follow(edit, at: index)
    _$didSet(index, keyPath())
  }

  /// Changes the second array of a relationship, to which nothing else refers now.
  private func follow<M: PersistentModel>(_ edit: ListEdit<M>?, at index: Int) {
    guard let extra = existingExtra, !extra.edited.isEmpty else { return }
    if let edit, let edited = extra.edited[index] as? EditedArray<M> {
      edited.replace(edit.indices, with: edit.added)
    } else {
      forgetEditedArray(at: index)
    }
  }
}
