import StoreProtocol

extension StoreChanges {
  /// Throws if a reference to a new object is not part of the batch.
  ///
  /// - Throws: `DataStoreError.invalidValue` with the property of the reference.
  public func checkReferences() throws {
    try checkReferences(Set(insertions.flatMap(\.identifiers)).contains)
  }

  /// Throws if a reference to a new object has a row that is not new.
  package func checkReferences(_ isNew: (PersistentIdentifier) -> Bool) throws {
    for record in inserted {
      for (name, value) in zip(record.names.names, record.values) {
        try value.check(isNew, entity: record.persistentIdentifier.entityName, property: name)
      }
    }
    for update in updated {
      for change in update.changes {
        try change.value.check(isNew, entity: update.identifier.entityName, property: nil)
      }
    }
  }
}

extension StoreValue {
  fileprivate func check(
    _ isNew: (PersistentIdentifier) -> Bool,
    entity: String,
    property: String?
  ) throws {
    guard identifiers.contains(where: { $0.isTemporary && !isNew($0) }) else { return }
    throw DataStoreError.unsavedTarget(entity: entity, property: property)
  }
}

extension DataStoreError {
  /// Returns the error of a reference to a new object that is not part of the save.
  package static func unsavedTarget(entity: String, property: String?) -> DataStoreError {
    DataStoreError(
      .invalidValue,
      "the relationship refers to a new object that is not part of the save; save it too",
      entity: entity,
      property: property
    )
  }
}
