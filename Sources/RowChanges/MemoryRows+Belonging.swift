import StoreProtocol

extension MemoryRows {
  /// Returns the rows that refer to an owner by the inverse of a relationship, by the owner's key.
  package func belonging(
    by relationship: StoreRelationship,
    in schema: StoreSchema
  ) -> [Int64: [PersistentIdentifier]] {
    guard let inverse = relationship.inverse else { return [:] }
    let family = Set(schema.family(of: relationship.destination).map(\.name))
    var result: [Int64: [PersistentIdentifier]] = [:]
    for row in byKey.values where family.contains(row.persistentIdentifier.entityName) {
      guard case .identifier(let owner) = row[inverse], let key = owner.integerKey else { continue }
      result[key, default: []].append(row.persistentIdentifier)
    }
    return result
  }
}
