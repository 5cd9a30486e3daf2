import StoreProtocol

// What macro-made getters return from a slot. Public for the macros alone, and inlinable so that a
// model's own module has them for its types.

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
        "The property \(index) of \(Self.self) has no value and none can be made of its type "
          + "\(V.self); give the property a default value."
      )
    }
    return made
  }

  /// The object of a to-one relationship; a stand-in where the object is gone.
  @inlinable
  public func _$value<M: PersistentModel>(of slot: _Slot<M>, _ index: Int) -> M {
    if _$state.isLent { takeBack(index) }
    return slot.value ?? standIn(M.self, key: slot.key)
  }

  /// The object of a to-one relationship, nil where there is none.
  @inlinable
  public func _$value<M: PersistentModel>(of slot: _Slot<M?>, _ index: Int) -> M? {
    if _$state.isLent { takeBack(index) }
    return slot.value ?? nil
  }

  /// The objects of a to-many relationship.
  @inlinable
  public func _$value<M: PersistentModel>(of slot: _Slot<[M]>, _ index: Int) -> [M] {
    if _$state.isLent { takeBack(index) }
    return slot.value ?? []
  }

  /// The objects of a to-many relationship that is optional: none where it was set to nil.
  @inlinable
  public func _$value<M: PersistentModel>(of slot: _Slot<[M]?>, _ index: Int) -> [M]? {
    if _$state.isLent { takeBack(index) }
    return (slot.value ?? []) ?? []
  }

  /// Ends the read of a relationship whose objects are there for this read only.
  @usableFromInline
  func takeBack(_ index: Int) {
    guard _$state.flags.remove(.lent) != nil else { return }
    foldRelationship(index)
  }

  /// An object that carries an identity and placeholder values, for a row that is gone.
  @usableFromInline
  func standIn<M: PersistentModel>(_ type: M.Type, key: Int64) -> M {
    let layout = ModelLayout.of(type)
    let scope = PersistentIdentifier.Scope(
      storeIdentifier: persistentModelID.storeIdentifier,
      entityName: layout.entityName
    )
    let identifier = PersistentIdentifier(scope: scope, key: .integer(key))
    guard let made = Vanished.object(of: type, identifier: identifier) else {
      preconditionFailure(
        "An object of \(type) that is gone cannot be stood in for; make the relationship optional."
      )
    }
    return made
  }
}

/// Objects whose rows cannot be had.
enum Vanished {
  /// An object with placeholder values that carries an identity and belongs to no context.
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
