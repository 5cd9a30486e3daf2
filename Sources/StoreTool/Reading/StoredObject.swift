import JSONFileStore
import OpenSwiftData
import RowChanges

/// A row with the elements of its relationships, in the form that commands show and write.
struct StoredObject {
  let identifier: PersistentIdentifier
  let entity: StoreEntity
  /// The values in the order of the entity's properties; `.null` for those that were not requested.
  var values: [StoreValue]
  /// The positions of values in files that were not read.
  var unread: Set<Int> = []
  /// The number of the save that last changed the row, or 0 if the store does not keep it.
  let version: Int64

  /// The values of a constraint, or `nil` if one is nil or NaN, which equals no other value.
  func uniqueValues(of constraint: StoreConstraint) -> UniqueValues? {
    UniqueValues(
      constraint,
      of: DefaultSnapshot(persistentIdentifier: identifier, entity: entity, values: values)
    )
  }
}

/// The properties of objects that a command requests.
struct WantedProperties {
  /// The names, or `nil` for all.
  let names: Set<String>?
  /// Whether values in files of their own are read.
  let readsFiles: Bool
  /// The number of bytes after which a string is cut if only its beginning is shown, or `nil` for
  /// whole strings.
  var longestString: Int?

  static let all = WantedProperties(names: nil, readsFiles: true)

  func contains(_ property: StoreProperty) -> Bool { names?.contains(property.name) ?? true }

  /// Returns the properties to request from the store for rows of a family of entities.
  fileprivate func asked(of family: [StoreEntity]) -> [String]? {
    let wanted = family.flatMap(\.properties).filter(contains)
    // Without names, a store reports that a value is in a file, and does not read it.
    if !readsFiles, names == nil || wanted.contains(where: \.isExternal) { return nil }
    return Set(wanted.map(\.name)).sorted()
  }
}

extension OpenedStore {
  /// The number of objects that are read before their relationships.
  private static let batchSize = 500

  /// Reads the objects of a query's result, in its order.
  ///
  /// Some hundred objects are in memory at a time.
  func forEachObject(
    _ query: StoreQuery,
    _ wanted: WantedProperties = .all,
    _ body: (StoredObject) throws -> Void
  ) throws {
    var query = query
    query.properties = wanted.asked(of: store.schema.storeSchema.family(of: query.entity))
    var batch: [StoredObject] = []
    try store.read(query) { reader in
      batch.append(try object(reader, wanted))
      guard batch.count == Self.batchSize else { return }
      for object in try withMembers(batch, wanted) { try body(object) }
      batch.removeAll(keepingCapacity: true)
    }
    for object in try withMembers(batch, wanted) { try body(object) }
  }

  /// Returns the objects of a query's result, in its order.
  func objects(
    _ query: StoreQuery,
    _ wanted: WantedProperties = .all
  ) throws -> [StoredObject] {
    var found: [StoredObject] = []
    try forEachObject(query, wanted) { found.append($0) }
    return found
  }

  /// Returns the object of an identifier, or `nil` if there is none.
  func object(
    _ identifier: PersistentIdentifier,
    _ wanted: WantedProperties = .all
  ) throws -> StoredObject? {
    try objects(.rows([identifier], of: identifier.entityName), wanted).first
  }

  private func object(
    _ reader: RowReader,
    _ wanted: WantedProperties
  ) throws -> StoredObject {
    let entity = reader.entity
    var unread: Set<Int> = []
    let values = try entity.properties.enumerated().map { index, property in
      guard wanted.contains(property) else { return StoreValue.null }
      if reader.isDeferred(at: index) {
        unread.insert(index)
        return .null
      }
      return try reader.value(at: index).cut(to: wanted.longestString)
    }
    return StoredObject(
      identifier: reader.identifier,
      entity: entity,
      values: values,
      unread: unread,
      // A document has no numbers of saves: a JSON store counts from its opening.
      version: store is JSONFileStore ? 0 : reader.version
    )
  }

  /// Returns the objects with the elements of their to-many relationships in order.
  private func withMembers(
    _ objects: [StoredObject],
    _ wanted: WantedProperties
  ) throws -> [StoredObject] {
    var objects = objects
    let byEntity = Dictionary(grouping: objects.indices) { objects[$0].entity.name }
    for (name, positions) in byEntity {
      guard let entity = store.schema.storeSchema.entity(named: name) else { continue }
      for (index, property) in entity.properties.enumerated()
      where property.isToMany && wanted.contains(property) {
        let owners = positions.map { objects[$0].identifier }
        let members = try store.members(of: property.name, in: name, owners: owners)
        for position in positions {
          objects[position].values[index] =
            .identifiers(members[objects[position].identifier] ?? [])
        }
      }
    }
    return objects
  }
}

extension StoreValue {
  /// Returns the beginning of a string that is too long, or any other value unchanged.
  fileprivate func cut(to longest: Int?) -> StoreValue {
    guard let longest, case .string(let text) = self, text.utf8.count > longest else { return self }
    return .string(String(text.unicodeScalars.prefix(longest)))
  }
}
