import StoreProtocol

extension StoreChanges {
  /// Throws if a reference to a new object is not part of the batch.
  ///
  /// - Throws: `DataStoreError.invalidValue` with the property of the reference.
  public func checkReferences() throws {
    let new = Set(insertions.flatMap(\.identifiers))
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
    guard identifiers.contains(where: { $0.isTemporary && !new.contains($0) }) else { return }
    throw DataStoreError(
      .invalidValue,
      "the relationship refers to a new object that is not part of the save; save it too",
      entity: entity,
      property: property
    )
  }
}
