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
    if let record = snapshot as? DefaultSnapshot { return record }
    let identifier = snapshot.persistentIdentifier
    let entity = try schema.storeSchema.requiredEntity(identifier.entityName)
    let encoded = try StoreValueEncoder.encode(snapshot)
    let values = try entity.properties.map { property in
      try value(encoded.member(property.name) ?? .null, of: property)
    }
    return DefaultSnapshot(persistentIdentifier: identifier, entity: entity, values: values)
  }

  func snapshot(of record: DefaultSnapshot) throws -> Snapshot {
    if let snapshot = record as? Snapshot { return snapshot }
    let name = record.persistentIdentifier.entityName
    guard let type = schema.modelTypes[name] else {
      throw DataStoreError(.schemaMismatch, "the schema lacks this entity", entity: name)
    }
    return snapshot(of: record, type)
  }

  private func snapshot<M: PersistentModel>(of record: DefaultSnapshot, _ type: M.Type) -> Snapshot
  {
    var related: [PersistentIdentifier: any BackingData] = [:]
    return Snapshot(from: RecordBackingData<M>(record), relatedBackingDatas: &related)
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
