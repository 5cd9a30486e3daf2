import StoreHelpers
import StoreProtocol

extension MemoryBatch {
  /// Overwrites the row that has a new record's unique values with the record's values.
  mutating func merge(
    _ new: DefaultSnapshot,
    of entity: StoreEntity,
    into row: DefaultSnapshot,
    at key: Int64
  ) throws {
    let own = try catalog.schema.requiredEntity(row.persistentIdentifier.entityName)
    let shared = catalog.schema.sharedPropertyCount(of: own, and: entity)
    for index in entity.oneToOneProperties where index < shared {
      guard case .identifier(let counterpart) = row.values[index],
        new.values[index] != row.values[index],
        let counterpartKey = counterpart.integerKey
      else { continue }
      let property = entity.properties[index]
      counterparts.append(FormerCounterpart(of: key, by: property, counterpart: counterpartKey))
    }
    let version = result.version
    try change(key, by: .merge, named: 0..<shared) { row in
      row.version = version
      for index in 0..<shared {
        let value = new.values[index]
        row.values[index] =
          entity.properties[index].isToMany ? row.values[index].joined(by: value) : value
      }
    }
  }

  /// Clears the references of former counterparts to merged rows that no longer refer to them.
  mutating func detachFormerCounterparts() throws {
    for former in counterparts {
      guard let row = rows.byKey[former.row], let counterpart = rows.byKey[former.counterpart],
        let inverse = former.property.relationship?.inverse,
        row[former.property.name] != .identifier(counterpart.persistentIdentifier),
        counterpart[inverse] == .identifier(row.persistentIdentifier)
      else { continue }
      let entity = try catalog.schema.requiredEntity(counterpart.persistentIdentifier.entityName)
      guard entity.property(named: inverse)?.isOptional == true else {
        throw DataStoreError.counterpartLost(
          counterpart.persistentIdentifier,
          inverse,
          to: row.persistentIdentifier
        )
      }
      try change(former.counterpart, by: .merge) { $0[inverse] = .null }
    }
  }
}
