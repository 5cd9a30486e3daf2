/// The values of one model by property: the record format of the built-in stores.
public struct DefaultSnapshot: DataStoreSnapshot, Equatable {
  /// The identifier of the model.
  public let persistentIdentifier: PersistentIdentifier
  /// The names of the properties, in the order of ``values``.
  package let names: PropertyNames
  /// The stored form of each value, in the order of the names.
  public var values: [StoreValue]
  /// The version of the row from which the values were read, or 0 if there is none.
  ///
  /// It is neither compared nor encoded.
  public var version: Int64 = 0

  /// Creates a snapshot from values in the order of the names.
  package init(
    persistentIdentifier: PersistentIdentifier,
    names: PropertyNames,
    values: [StoreValue]
  ) {
    self.persistentIdentifier = persistentIdentifier
    self.names = names
    self.values = values
  }

  /// Creates a snapshot of a row of an entity.
  public init(
    persistentIdentifier: PersistentIdentifier,
    entity: StoreEntity,
    values: [StoreValue]
  ) {
    self.init(
      persistentIdentifier: persistentIdentifier,
      names: PropertyNames.of(entity),
      values: values
    )
  }

  /// Creates a snapshot of a model's values; values without a stored form become nil.
  public init(
    from backingData: any BackingData,
    relatedBackingDatas: inout [PersistentIdentifier: any BackingData]
  ) {
    self =
      (try? backingData.record())
      ?? DefaultSnapshot(
        persistentIdentifier: backingData.persistentModelID ?? .temporary(of: ""),
        names: PropertyNames([]),
        values: []
      )
  }

  /// The value of a property, or `nil` if the snapshot has no such property.
  public subscript(name: String) -> StoreValue? {
    get { names.index(of: name).map { values[$0] } }
    set {
      guard let index = names.index(of: name) else { return }
      values[index] = newValue ?? .null
    }
  }

  /// Returns a copy with another identifier and the same version, in which remapped references are
  /// replaced.
  public func copy(
    persistentIdentifier: PersistentIdentifier,
    remappedIdentifiers: [PersistentIdentifier: PersistentIdentifier]? = [:]
  ) -> DefaultSnapshot {
    var copy = DefaultSnapshot(
      persistentIdentifier: persistentIdentifier,
      names: names,
      values: values
    )
    copy.version = version
    if let map = remappedIdentifiers, !map.isEmpty {
      for index in values.indices { copy.values[index] = values[index].remapped(by: map) }
    }
    return copy
  }

  /// Compares identifiers, names and values.
  public static func == (lhs: DefaultSnapshot, rhs: DefaultSnapshot) -> Bool {
    lhs.persistentIdentifier == rhs.persistentIdentifier && lhs.names == rhs.names
      && lhs.values == rhs.values
  }
}

extension StoreValue {
  /// Returns the value with its references replaced according to a map.
  package func remapped(by map: [PersistentIdentifier: PersistentIdentifier]) -> StoreValue {
    mappingReferences { map[$0] ?? $0 }
  }
}

extension DefaultSnapshot {
  /// Returns whether the values are those of an entity's properties, in their order.
  ///
  /// A store can then read them by index instead of by name.
  ///
  /// - Complexity: O(1) if the snapshot was created for the entity, else O(*n*) in the properties.
  public func isAligned(to entity: StoreEntity) -> Bool {
    names == PropertyNames.of(entity) && values.count == entity.properties.count
  }
}
