import JSONFileStore
import OpenSwiftData

/// A row with the members of its relationships, as commands show and write it.
struct StoredObject {
  let identifier: PersistentIdentifier
  let entity: StoreEntity
  /// The values in the order of the entity's properties; `.null` for those that were not asked for.
  var values: [StoreValue]
  /// The positions of values that lie in files and were not read.
  var unread: Set<Int> = []
  /// The number of the save that last changed the row, or 0 if the store does not keep it.
  let version: Int64
}

/// Which properties of objects a command wants.
struct WantedProperties {
  /// The names, nil for all.
  let names: Set<String>?
  /// Whether values in files of their own are read.
  let readsFiles: Bool
  /// The bytes after which a text is cut, where only its beginning is shown; nil for whole texts.
  var longestText: Int?

  static let all = WantedProperties(names: nil, readsFiles: true)

  /// Whether a property is wanted.
  func contains(_ property: StoreProperty) -> Bool { names?.contains(property.name) ?? true }

  /// What to ask of the store for rows of an entity with what inherits from it.
  fileprivate func asked(of family: [StoreEntity]) -> [String]? {
    let wanted = family.flatMap(\.properties).filter(contains)
    // Without names a store says of each value in a file that it is there, and does not read it.
    if !readsFiles, names == nil || wanted.contains(where: \.isExternal) { return nil }
    return Set(wanted.map(\.name)).sorted()
  }
}

extension OpenedStore {
  /// How many objects are read before their relationships are asked for.
  private static let batchSize = 500

  /// Reads the objects that answer a query, in its order.
  ///
  /// Memory is taken for some hundred objects at a time.
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

  /// The objects that answer a query, in its order.
  func objects(
    _ query: StoreQuery,
    _ wanted: WantedProperties = .all
  ) throws -> [StoredObject] {
    var found: [StoredObject] = []
    try forEachObject(query, wanted) { found.append($0) }
    return found
  }

  /// The object of an identifier, nil where there is none.
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
      return try reader.value(at: index).cut(to: wanted.longestText)
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

  /// The same objects with the members of their relationships to many in order.
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
  /// The beginning of a text that is too long, any other value as it is.
  fileprivate func cut(to longest: Int?) -> StoreValue {
    guard let longest, case .string(let text) = self, text.utf8.count > longest else { return self }
    return .string(String(text.unicodeScalars.prefix(longest)))
  }
}
