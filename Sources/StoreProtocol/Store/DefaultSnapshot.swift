/// The values of one model by property: the record that the built-in stores work with.
public struct DefaultSnapshot: DataStoreSnapshot, Hashable {
  /// The identity of the model.
  public let persistentIdentifier: PersistentIdentifier
  /// The names of the properties, in the order of ``values``.
  public let names: PropertyNames
  /// The stored form of each value, in the order of the names.
  public var values: [StoreValue]
  /// The version of the row that the values were read from, 0 where there is none; no part of what
  /// snapshots are compared by and encoded to.
  public var version: Int64 = 0

  /// Creates a snapshot from values in the order of the names.
  public init(
    persistentIdentifier: PersistentIdentifier,
    names: PropertyNames,
    values: [StoreValue]
  ) {
    self.persistentIdentifier = persistentIdentifier
    self.names = names
    self.values = values
  }

  /// Creates a snapshot of an entity's row.
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

  /// Takes the values of a model; values that have no stored form are left out as nil.
  public init(
    from backingData: any BackingData,
    relatedBackingDatas: inout [PersistentIdentifier: any BackingData]
  ) {
    let stored = try? backingData.storeValues()
    self.init(
      persistentIdentifier: backingData.persistentModelID
        ?? PersistentIdentifier(
          scope: PersistentIdentifier.Scope(storeIdentifier: nil, entityName: ""),
          key: .temporary(PersistentIdentifier.nextTemporaryNumber())
        ),
      names: stored?.names ?? PropertyNames([]),
      values: stored?.values ?? []
    )
  }

  /// The value of a property, nil where the snapshot has no such property.
  public subscript(name: String) -> StoreValue? {
    get { names.index(of: name).map { values[$0] } }
    set {
      guard let index = names.index(of: name) else { return }
      values[index] = newValue ?? .null
    }
  }

  /// Returns a copy with another identity, in which remapped references are replaced.
  public func copy(
    persistentIdentifier: PersistentIdentifier,
    remappedIdentifiers: [PersistentIdentifier: PersistentIdentifier]? = [:]
  ) -> DefaultSnapshot {
    var values = values
    if let map = remappedIdentifiers, !map.isEmpty {
      for index in values.indices { values[index] = values[index].remapped(by: map) }
    }
    return DefaultSnapshot(
      persistentIdentifier: persistentIdentifier,
      names: names,
      values: values
    )
  }

  /// Compares identities, names and values.
  public static func == (lhs: DefaultSnapshot, rhs: DefaultSnapshot) -> Bool {
    lhs.persistentIdentifier == rhs.persistentIdentifier && lhs.names == rhs.names
      && lhs.values == rhs.values
  }

  /// Hashes identity and values.
  public func hash(into hasher: inout Hasher) {
    hasher.combine(persistentIdentifier)
    hasher.combine(values)
  }
}

extension StoreValue {
  /// The value with references replaced by those that a map has for them.
  public func remapped(by map: [PersistentIdentifier: PersistentIdentifier]) -> StoreValue {
    switch self {
    case .identifier(let identifier): map[identifier].map(StoreValue.identifier) ?? self
    case .identifiers(let list): .identifiers(list.map { map[$0] ?? $0 })
    default: self
    }
  }
}

extension DefaultSnapshot {
  /// Whether the values are those of an entity's properties, in their order.
  package func isAligned(to entity: StoreEntity) -> Bool {
    names == PropertyNames.of(entity) && values.count == entity.properties.count
  }
}

/// The names of the values of snapshots, shared by all snapshots of an entity.
public final class PropertyNames: Sendable, Hashable {
  /// The names, in the order of the values.
  public let names: [String]
  private let indexByName: [String: Int]

  /// Creates a list of different names.
  public init(_ names: [String]) {
    self.names = names
    indexByName = Dictionary(
      names.enumerated().map { ($1, $0) },
      uniquingKeysWith: { first, _ in first }
    )
  }

  /// The names of an entity's properties.
  public static func of(_ entity: StoreEntity) -> PropertyNames { entity.propertyNames }

  /// The position of a name.
  public func index(of name: String) -> Int? { indexByName[name] }

  public static func == (lhs: PropertyNames, rhs: PropertyNames) -> Bool {
    lhs === rhs || lhs.names == rhs.names
  }

  public func hash(into hasher: inout Hasher) { hasher.combine(names) }
}
