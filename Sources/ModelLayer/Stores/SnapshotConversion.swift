import StoreProtocol

/// Turns records into a store's own snapshots and back.
///
/// SwiftData's protocol allows two ways into a snapshot of another type: it takes backing data, and
/// it is Codable with one key per property. Both are used here.
struct SnapshotConversion<Snapshot: DataStoreSnapshot>: Sendable {
  private let schema: Schema

  init(schema: Schema) {
    self.schema = schema
  }

  func record(of snapshot: Snapshot) throws -> DefaultSnapshot {
    if let record = snapshot as? DefaultSnapshot { return completed(record) }
    let identifier = snapshot.persistentIdentifier
    let entity = try schema.storeSchema.requiredEntity(identifier.entityName)
    let encoded = try StoreValueEncoder.encode(snapshot)
    let values = try entity.properties.map { property in
      try value(encoded.member(property.name) ?? .null, of: property)
    }
    return DefaultSnapshot(persistentIdentifier: identifier, entity: entity, values: values)
  }

  /// Returns a record with the initial values of the properties that it lacks.
  private func completed(_ record: DefaultSnapshot) -> DefaultSnapshot {
    let entity = schema.storeSchema.entity(named: record.persistentIdentifier.entityName)
    let missing = entity?.properties.filter { record.names.index(of: $0.name) == nil } ?? []
    if missing.isEmpty { return record }
    var completed = DefaultSnapshot(
      persistentIdentifier: record.persistentIdentifier,
      names: PropertyNames(record.names.names + missing.map(\.name)),
      values: record.values + missing.map { $0.defaultValue ?? .null }
    )
    completed.version = record.version
    return completed
  }

  /// Checks that a record that a store returned has no identifier of an unsaved object.
  ///
  /// A store that does not replace such identifiers when it saves loses the relationships: nothing
  /// but the context that saved can find the objects.
  ///
  /// - Throws: ``DataStoreError/invalidValue`` with the relationship.
  func checkIdentifiers(of record: DefaultSnapshot, from store: String) throws {
    let identifier = record.persistentIdentifier
    guard identifier.storeIdentifier != nil else {
      throw unsaved(identifier, "a snapshot", of: identifier, property: nil, store)
    }
    let entity = schema.storeSchema.entity(named: identifier.entityName)
    for property in entity?.properties ?? [] where property.relationship != nil {
      for other in record[property.name]?.identifiers ?? [] where other.storeIdentifier == nil {
        throw unsaved(other, property.name, of: identifier, property: property.name, store)
      }
    }
  }

  private func unsaved(
    _ found: PersistentIdentifier,
    _ place: String,
    of identifier: PersistentIdentifier,
    property: String?,
    _ store: String
  ) -> DataStoreError {
    DataStoreError(
      .invalidValue,
      "\(store) returned \(found), the identifier of an unsaved object, in \(place); in save(_:), store "
        + "snapshot.copy(persistentIdentifier:remappedIdentifiers:) of each inserted and updated "
        + "snapshot, with the remappedIdentifiers of the result",
      entity: identifier.entityName,
      property: property,
      identifiers: [identifier]
    )
  }

  /// Returns a store's snapshot of a record; snapshots of other types may read related objects.
  func snapshot(of record: DefaultSnapshot, _ related: RelatedObjects) throws -> Snapshot {
    if let snapshot = record as? Snapshot { return snapshot }
    let name = record.persistentIdentifier.entityName
    guard let type = schema.modelTypes[name] else {
      throw DataStoreError(.schemaMismatch, "the schema lacks this entity", entity: name)
    }
    let snapshot = snapshot(of: record, type, related)
    if let failure = related.failure { throw failure }
    return snapshot
  }

  private func snapshot<M: PersistentModel>(
    of record: DefaultSnapshot,
    _ type: M.Type,
    _ related: RelatedObjects
  ) -> Snapshot {
    let backingData = RecordBackingData<M>(record, related: related)
    var relatedBackingDatas: [PersistentIdentifier: any BackingData] = [:]
    return Snapshot(from: backingData, relatedBackingDatas: &relatedBackingDatas)
  }

  private func value(_ encoded: StoreValue, of property: StoreProperty) throws -> StoreValue {
    if encoded.isNull { return .null }
    switch property.kind {
    case .attribute: return encoded
    case .toOne:
      return .identifier(try StoreValueDecoder.decode(PersistentIdentifier.self, from: encoded))
    case .toMany:
      return .identifiers(try StoreValueDecoder.decode([PersistentIdentifier].self, from: encoded))
    }
  }
}
