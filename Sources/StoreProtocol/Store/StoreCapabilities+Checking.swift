extension StoreCapabilities {
  /// Throws if a batch requires a feature that is not declared here; the first call of
  /// ``RecordStore/apply(_:)``.
  ///
  /// - Throws: ``DataStoreError/unsupportedFeature`` for bulk changes that the store does not make
  ///   itself, for expected versions if it keeps none, and for history readers if it keeps no
  ///   history.
  public func check(_ changes: StoreChanges) throws {
    if let change = changes.bulkChanges.first, batchDelete != .native {
      throw DataStoreError(
        .unsupportedFeature,
        "the store does not support bulk changes; change the objects one by one",
        entity: change.query.entity
      )
    }
    if let row = changes.expectedVersions.keys.first, versions != .native {
      throw DataStoreError(
        .unsupportedFeature,
        "the store keeps no versions of its rows; save without expected versions",
        entity: row.entityName
      )
    }
    if let reader = changes.readers.first, !history.isSupported {
      throw DataStoreError(
        .unsupportedFeature,
        "the store keeps no history and cannot store the position of the reader \(reader.name)"
      )
    }
  }

  /// Throws if a schema is inconsistent, or requires a feature that is not declared here; to be
  /// called when a store is opened.
  ///
  /// - Throws: The errors of ``StoreSchema/validate()``, and ``DataStoreError/unsupportedFeature``
  ///   for unique values if the store does not enforce uniqueness.
  public func check(_ schema: StoreSchema) throws {
    try schema.validate()
    guard !uniqueness.isSupported else { return }
    for entity in schema.entities {
      let names = entity.properties.filter(\.isUnique).map(\.name)
      guard let property = names.first ?? entity.uniquenessConstraints.first?.first else {
        continue
      }
      throw DataStoreError(
        .unsupportedFeature,
        "the store does not enforce unique values; remove the constraint from the property",
        entity: entity.name,
        property: property
      )
    }
  }
}
