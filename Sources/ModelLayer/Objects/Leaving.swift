import ModelRuntime
import StoreProtocol

extension PersistentModel {
  /// Whether the object is marked for deletion.
  var isMarkedDeleted: Bool { _$state.flags.contains(.deleted) && _$state.registration != nil }

  /// Whether a context must keep the object even if no other code does.
  var isNeededByContext: Bool {
    !_$state.flags.isDisjoint(with: [.inserted, .changed, .deleted, .hasPendingMembers])
  }

  /// Removes the object from its context; it keeps its identity and its last values.
  func detach(adding flags: _ModelState.Flags = []) {
    guard let registration else { return }
    if _$state.extra != nil || _$state.key == .min || _$state.flags.contains(.inserted) {
      let extra = modelExtra
      extra.identifier = registration.identifier(of: self)
      extra.endChanges()
    }
    if _$state.flags.contains(.partial) { usePlaceholders() }
    _$state.leaveContext(sharing: registration.departed, adding: flags)
  }

  /// Turns loaded relationships into faults, so that objects no longer refer to each other.
  func unloadRelationships(toManyOnly: Bool = false) {
    let layout = ModelLayout.of(Self.self)
    for index in layout.relationshipIndices
    where !toManyOnly || layout.isToMany[index] {
      unloadRelationship(index)
    }
  }

  /// Turns a loaded relationship into a fault; one to an object that was not saved is kept.
  ///
  /// A list may have other members when it is next read, so that its observers are notified.
  func unloadRelationship(_ index: Int) {
    guard case .models(let models) = PropertyReader.content(of: index, in: self) else { return }
    if ModelLayout.of(Self.self).isToMany[index] {
      notifyingObservers(of: index) { try? PropertySetter.put(.fault(0), into: index, of: self) }
    } else if let target = models.first, !target._$state.flags.contains(.inserted) {
      let identifier = target.persistentModelID
      let content = identifier.integerKey.map(PropertyContent.fault) ?? .reference(identifier)
      try? PropertySetter.put(content, into: index, of: self)
    }
  }

  /// Releases the objects of all loaded relationships, for an object that was saved and has left its
  /// context.
  ///
  /// A required relationship keeps the key of its object.
  func releaseAllRelated() {
    releaseRelated { _ in true }
    unloadRelationships()
  }

  /// Releases the objects of loaded relationships, for an object that has left its context.
  ///
  /// Two such objects that refer to each other would stay in memory permanently, and with them all
  /// that they reference: objects of the context, and through these the context and its stores. A
  /// required relationship keeps its object, since it cannot be empty.
  func releaseRelated(where isReleased: (any PersistentModel) -> Bool) {
    let layout = ModelLayout.of(Self.self)
    for index in layout.relationshipIndices {
      guard let shape = layout.properties[index].shape, shape.isToMany || shape.isOptional else {
        continue
      }
      let models = loadedObjects(at: index)
      guard models.contains(where: isReleased) else { continue }
      notifyingObservers(of: index) {
        try? PropertySetter.put(.models(models.filter { !isReleased($0) }), into: index, of: self)
      }
    }
  }
}

extension _ModelState {
  /// Makes the state that of an object outside of any context, which shares an extra if it has none of
  /// its own.
  fileprivate mutating func leaveContext(sharing departed: ModelExtra, adding added: Flags) {
    if extra == nil { extra = departed }
    registration = nil
    flags.remove([.tracked, .inserted, .changed, .recorded])
    flags.insert(added)
    dirty = 0
  }
}
