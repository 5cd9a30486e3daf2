import ModelRuntime
import StoreProtocol

// Macro-generated getters read slots through these functions. They are public for the macros alone,
// and inlinable so that a model's own module can specialize them.

extension PersistentModel {
  /// The value of an attribute in a slot.
  @_disfavoredOverload
  @inlinable
  public func _$value<V>(of slot: _Slot<V>, _ index: Int) -> V {
    slot.value ?? placeholder(index)
  }

  @usableFromInline
  func placeholder<V>(_ index: Int) -> V {
    func make<C: Codable>(_ type: C.Type) -> V? { PlaceholderDecoder.value(of: type) as? V }
    guard let made = CodableTypes.type(V.self).flatMap({ make($0) }) else {
      preconditionFailure(
        "The property \(index) of \(Self.self) has no value, and there is no placeholder for its "
          + "type "
          + "\(V.self); give the property a default value."
      )
    }
    return made
  }

  /// The object of a to-one relationship, or a stand-in if the object no longer exists.
  @inlinable
  public func _$value<M: PersistentModel>(of slot: _Slot<M>, _ index: Int) -> M {
    if _$state.isTemporary { endTemporaryRead(index) }
    return slot.value ?? standIn(M.self, key: slot.key)
  }

  /// The object of a to-one relationship, or `nil` if there is none.
  @inlinable
  public func _$value<M: PersistentModel>(of slot: _Slot<M?>, _ index: Int) -> M? {
    if _$state.isTemporary { endTemporaryRead(index) }
    return slot.value ?? nil
  }

  /// The objects of a to-many relationship.
  @inlinable
  public func _$value<M: PersistentModel>(of slot: _Slot<[M]>, _ index: Int) -> [M] {
    if _$state.isTemporary { endTemporaryRead(index) }
    return slot.value ?? []
  }

  /// The objects of an optional to-many relationship; an empty array if it was set to `nil`.
  @inlinable
  public func _$value<M: PersistentModel>(of slot: _Slot<[M]?>, _ index: Int) -> [M]? {
    if _$state.isTemporary { endTemporaryRead(index) }
    return (slot.value ?? []) ?? []
  }

  /// Ends the read of a relationship whose objects are present for this read only.
  @usableFromInline
  func endTemporaryRead(_ index: Int) {
    guard _$state.flags.remove(.temporary) != nil else { return }
    unloadRelationship(index)
  }

  /// Returns an object with an identity and placeholder values, for a row that no longer exists.
  @usableFromInline
  func standIn<M: PersistentModel>(_ type: M.Type, key: Int64) -> M {
    let layout = ModelLayout.of(type)
    let identifier = PersistentIdentifier(
      .integer(key),
      of: layout.entityName,
      in: persistentModelID.storeIdentifier
    )
    guard let made = MissingObjects.object(of: type, identifier: identifier) else {
      preconditionFailure(
        "An object of \(type) no longer exists, and no placeholder can replace it; make the "
          + "relationship optional."
      )
    }
    return made
  }
}

/// Objects whose rows cannot be read.
enum MissingObjects {
  /// Returns an object with an identity and placeholder values that belongs to no context.
  static func object<M: PersistentModel>(
    of type: M.Type,
    identifier: PersistentIdentifier
  ) -> M? {
    let layout = ModelLayout.of(type)
    let reader = PlaceholderReader(layout: layout, entity: .unnamed)
    guard let model = try? M(_$row: reader) else { return nil }
    model.modelExtra.identifier = identifier
    model._$state.flags.insert(.vanished)
    return model
  }
}
