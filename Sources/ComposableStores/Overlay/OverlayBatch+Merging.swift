import StoreHelpers
import StoreProtocol

/// The earlier one-to-one counterpart of a merged row.
struct EarlierCounterpart {
  let row: PersistentIdentifier
  let property: StoreProperty
  let counterpart: PersistentIdentifier
}

extension OverlayBatch {
  /// Tries a batch until the merges of its new records are those that were assumed.
  ///
  /// The row that a record merges into can depend on the merges of the records that it refers to.
  static func merged(
    _ changes: StoreChanges,
    over rows: OverlayRows<Base>,
    keepsVersions: Bool
  ) throws -> OverlayBatch {
    var assigned: [PersistentIdentifier: PersistentIdentifier] = [:]
    for _ in 0...changes.inserted.count + 1 {
      var batch = OverlayBatch(rows, keepsVersions: keepsVersions, assigned: assigned)
      try batch.apply(changes)
      if batch.result.remapped == assigned { return batch }
      assigned = batch.result.remapped
    }
    throw DataStoreError.endlessMerges
  }

  /// Writes a new record's values over those of the row with the same unique values.
  mutating func merge(
    _ new: DefaultSnapshot,
    of entity: StoreEntity,
    into row: DefaultSnapshot,
    version: Int64
  ) throws {
    let own = try schema.requiredEntity(row.persistentIdentifier.entityName)
    let shared = schema.sharedPropertyCount(of: own, and: entity)
    rows.state.unique.release(row)
    var merged = row.aligned(with: own)
    for index in entity.oneToOneProperties where index < shared {
      guard case .identifier(let counterpart) = merged.values[index],
        new.values[index] != merged.values[index]
      else { continue }
      let property = entity.properties[index]
      counterparts.append(
        EarlierCounterpart(
          row: row.persistentIdentifier,
          property: property,
          counterpart: counterpart
        )
      )
    }
    for index in 0..<shared {
      let value = new.values[index]
      merged.values[index] =
        entity.properties[index].isToMany ? merged.values[index].joined(by: value) : value
    }
    merged.version = version
    try put(merged)
  }

  /// Clears the references of the earlier counterparts of merged rows.
  mutating func partFormerCounterparts() throws {
    for former in counterparts {
      guard let row = try rows.rows([former.row]).first,
        var counterpart = try rows.rows([former.counterpart]).first,
        let inverse = former.property.relationship?.inverse,
        row[former.property.name] != .identifier(counterpart.persistentIdentifier),
        counterpart[inverse] == .identifier(row.persistentIdentifier)
      else { continue }
      let entity = try schema.requiredEntity(counterpart.persistentIdentifier.entityName)
      guard entity.property(named: inverse)?.isOptional == true else {
        throw DataStoreError.counterpartLost(
          counterpart.persistentIdentifier,
          inverse,
          to: row.persistentIdentifier
        )
      }
      rows.state.unique.release(counterpart)
      counterpart[inverse] = .null
      try put(counterpart)
    }
  }
}
