import StoreProtocol

extension MemoryBatch {
  /// Overwrites the row that has a new record's unique values with the record's values.
  mutating func merge(
    _ new: DefaultSnapshot,
    of entity: StoreEntity,
    into row: DefaultSnapshot,
    at key: Int64
  ) throws {
    let own = try catalog.entity(named: row.persistentIdentifier.entityName)
    let shared = catalog.schema.sharedPropertyCount(of: own, and: entity)
    for index in entity.oneToOneProperties where index < shared {
      guard case .identifier(let partner) = row.values[index],
        new.values[index] != row.values[index],
        let partnerKey = partner.integerKey
      else { continue }
      let property = entity.properties[index]
      partners.append(FormerPartner(of: key, by: property, partner: partnerKey))
    }
    named[key, default: []] += 0..<shared
    let version = result.version
    try change(key) { row in
      row.version = version
      for index in 0..<shared {
        let value = new.values[index]
        row.values[index] =
          entity.properties[index].isToMany ? row.values[index].joined(by: value) : value
      }
    }
  }

  /// Clears the references of former counterparts to merged rows that no longer refer to them.
  mutating func partFormerPartners() throws {
    for former in partners {
      guard let row = rows.byKey[former.row], let partner = rows.byKey[former.partner],
        let inverse = former.property.relationship?.inverse,
        row[former.property.name] != .identifier(partner.persistentIdentifier),
        partner[inverse] == .identifier(row.persistentIdentifier)
      else { continue }
      let entity = try catalog.entity(named: partner.persistentIdentifier.entityName)
      guard entity.property(named: inverse)?.isOptional == true else {
        throw DataStoreError.partnerLost(
          partner.persistentIdentifier,
          inverse,
          to: row.persistentIdentifier
        )
      }
      try change(former.partner) { $0[inverse] = .null }
    }
  }
}
