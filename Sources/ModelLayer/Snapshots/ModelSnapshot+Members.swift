import ModelRuntime
import StoreProtocol

extension ModelSnapshot {
  /// The value of an attribute, or of a property that is computed from others.
  @_disfavoredOverload
  public subscript<Value: Codable>(dynamicMember path: KeyPath<Model, Value>) -> Value {
    value(at: path)
  }

  /// The value of an attribute.
  ///
  /// A value that cannot be encoded is an error when the snapshot is encoded or applied to a
  /// context. Setting a computed property has no effect.
  @_disfavoredOverload
  public subscript<Value: Codable>(
    dynamicMember path: ReferenceWritableKeyPath<Model, Value>
  ) -> Value {
    get { value(at: path) }
    set {
      guard let index = record.index(of: path, in: Model.self) else { return }
      do {
        record.contents[index] = .value(try PropertyForm.stored(newValue))
      } catch {
        record.contents[index] = .refused("\(error)")
      }
    }
  }

  /// The object of a relationship, or `nil` if the snapshot does not contain it.
  public subscript<Other: PersistentModel>(
    dynamicMember path: KeyPath<Model, Other>
  ) -> ModelSnapshot<Other>? {
    related(path) { [$0] }.first
  }

  /// The object of a relationship, or `nil` if the snapshot does not contain it.
  public subscript<Other: PersistentModel>(
    dynamicMember path: ReferenceWritableKeyPath<Model, Other>
  ) -> ModelSnapshot<Other>? {
    get { related(path) { [$0] }.first }
    set { relate(path, newValue.map { [$0.record] } ?? []) }
  }

  /// The object of a relationship, or `nil` if there is none.
  public subscript<Other: PersistentModel>(
    dynamicMember path: KeyPath<Model, Other?>
  ) -> ModelSnapshot<Other>? {
    related(path) { $0.map { [$0] } ?? [] }.first
  }

  /// The object of a relationship, or `nil` if there is none.
  public subscript<Other: PersistentModel>(
    dynamicMember path: ReferenceWritableKeyPath<Model, Other?>
  ) -> ModelSnapshot<Other>? {
    get { related(path) { $0.map { [$0] } ?? [] }.first }
    set { relate(path, newValue.map { [$0.record] } ?? []) }
  }

  /// The objects of a relationship, as references if they were not included.
  public subscript<Other: PersistentModel>(
    dynamicMember path: KeyPath<Model, [Other]>
  ) -> [ModelSnapshot<Other>] {
    related(path) { $0 }
  }

  /// The objects of a relationship, as references if they were not included.
  public subscript<Other: PersistentModel>(
    dynamicMember path: ReferenceWritableKeyPath<Model, [Other]>
  ) -> [ModelSnapshot<Other>] {
    get { related(path) { $0 } }
    set { relate(path, newValue.map(\.record)) }
  }

  /// The objects of a relationship, as references if they were not included.
  public subscript<Other: PersistentModel>(
    dynamicMember path: KeyPath<Model, [Other]?>
  ) -> [ModelSnapshot<Other>] {
    related(path) { $0 ?? [] }
  }

  /// The objects of a relationship, as references if they were not included.
  public subscript<Other: PersistentModel>(
    dynamicMember path: ReferenceWritableKeyPath<Model, [Other]?>
  ) -> [ModelSnapshot<Other>] {
    get { related(path) { $0 ?? [] } }
    set { relate(path, newValue.map(\.record)) }
  }

  private func value<Value: Codable>(at path: KeyPath<Model, Value>) -> Value {
    if let index = record.index(of: path, in: Model.self) {
      return record.value(Value.self, at: index)
    }
    guard let object = record.detachedObject() as? Model else {
      return SnapshotRecord.placeholder(Value.self)
    }
    return object[keyPath: path]
  }

  private func related<Value, Other: PersistentModel>(
    _ path: KeyPath<Model, Value>,
    _ models: (Value) -> [Other]
  ) -> [ModelSnapshot<Other>] {
    if let index = record.index(of: path, in: Model.self) {
      return record.related(at: index).map { ModelSnapshot<Other>($0) }
    }
    guard let object = record.detachedObject() as? Model else { return [] }
    return models(object[keyPath: path]).compactMap { try? $0.snapshot() }
  }

  private mutating func relate(_ path: PartialKeyPath<Model>, _ records: [SnapshotRecord]) {
    guard let index = record.index(of: path, in: Model.self) else { return }
    record.contents[index] = .objects(records)
  }
}

extension ModelSnapshot: Identifiable {
  /// The model's own `id`: the identifier, or a property that the model declares.
  ///
  /// A snapshot without an identifier has one here that distinguishes it from all others. Setting
  /// the `id` of a model that computes it has no effect.
  public var id: Model.ID {
    get {
      if let index = record.layout.index(named: "id"),
        let type = CodableTypes.type(Model.ID.self),
        let id = value(type, at: index) as? Model.ID
      {
        return id
      }
      if let id = record.identity as? Model.ID { return id }
      guard let object = record.detachedObject() as? Model else { return Self.idFromNothing }
      return object.id
    }
    set {
      if let index = record.layout.index(named: "id") {
        let stored = (newValue as? any Encodable).flatMap { try? PropertyForm.stored($0) }
        record.contents[index] = stored.map(SnapshotContent.value) ?? .absent
      } else if let identifier = newValue as? PersistentIdentifier {
        record.identifier = identifier
      }
    }
  }

  private func value<V: Codable>(_ type: V.Type, at index: Int) -> Any {
    record.value(type, at: index)
  }

  private static var idFromNothing: Model.ID {
    guard let type = CodableTypes.decodable(Model.ID.self),
      let made = PlaceholderDecoder.value(of: type) as? Model.ID
    else {
      preconditionFailure(
        "The id of \(Model.self) is computed, and there is no placeholder for \(Model.ID.self); "
          + "store the id."
      )
    }
    return made
  }
}

extension ModelSnapshot {
  /// Returns the identifier of the object of a relationship, followed or not.
  public func identifier<Other: PersistentModel>(
    of path: KeyPath<Model, Other>
  ) -> PersistentIdentifier? {
    identifiers(at: path).first
  }

  /// Returns the identifier of the object of a relationship, followed or not, or `nil` if there is
  /// none.
  public func identifier<Other: PersistentModel>(
    of path: KeyPath<Model, Other?>
  ) -> PersistentIdentifier? {
    identifiers(at: path).first
  }

  /// Returns the identifiers of the objects of a relationship, followed or not, in their order.
  public func identifiers<Other: PersistentModel>(
    of path: KeyPath<Model, [Other]>
  ) -> [PersistentIdentifier] {
    identifiers(at: path)
  }

  /// Returns the identifiers of the objects of a relationship, followed or not, in their order.
  public func identifiers<Other: PersistentModel>(
    of path: KeyPath<Model, [Other]?>
  ) -> [PersistentIdentifier] {
    identifiers(at: path)
  }

  private func identifiers(at path: PartialKeyPath<Model>) -> [PersistentIdentifier] {
    guard let index = record.index(of: path, in: Model.self) else { return [] }
    if case .unfollowed(let identifiers) = record.contents[index] { return identifiers }
    return record.related(at: index).compactMap(\.identifier)
  }
}
