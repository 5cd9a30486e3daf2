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

extension StoreChanges {
  /// Throws if a reference to a new object is not part of the batch.
  ///
  /// - Throws: ``DataStoreError/invalidValue`` with the property of the reference.
  package func checkReferences() throws {
    let new = Set(inserted.map(\.persistentIdentifier))
    for record in inserted {
      for (name, value) in zip(record.names.names, record.values) {
        try value.check(new, entity: record.persistentIdentifier.entityName, property: name)
      }
    }
    for update in updated {
      for change in update.changes {
        try change.value.check(new, entity: update.identifier.entityName, property: nil)
      }
    }
  }
}

extension StoreValue {
  fileprivate func check(
    _ new: Set<PersistentIdentifier>,
    entity: String,
    property: String?
  ) throws {
    let references: [PersistentIdentifier] =
      switch self {
      case .identifier(let one): [one]
      case .identifiers(let list): list
      default: []
      }
    guard references.contains(where: { $0.isTemporary && !new.contains($0) }) else { return }
    throw DataStoreError(
      .invalidValue,
      "the relationship refers to a new object that is not part of the save; save it too",
      entity: entity,
      property: property
    )
  }
}
