extension StoreCapabilities {
  /// Refuses a batch that asks for what is not declared here, to be called first of all in
  /// ``RecordStore/apply(_:)``.
  ///
  /// - Throws: ``DataStoreError/unsupportedFeature`` for bulk changes that the store does not make
  ///   itself, and for expected versions where it keeps none.
  public func check(_ changes: StoreChanges) throws {
    if let change = changes.bulkChanges.first, batchDelete != .native {
      throw DataStoreError(
        .unsupportedFeature,
        "the store makes no bulk changes; change the objects one by one",
        entity: change.query.entity
      )
    }
    if let row = changes.expectedVersions.keys.first, versions != .native {
      throw DataStoreError(
        .unsupportedFeature,
        "the store keeps no versions of its rows; save without expected ones",
        entity: row.entityName
      )
    }
  }

  /// Refuses a schema that asks for what is not declared here, to be called when a store is opened.
  ///
  /// - Throws: ``DataStoreError/unsupportedFeature`` for unique values where the store keeps none
  ///   unique.
  public func check(_ schema: StoreSchema) throws {
    guard !uniqueness.isSupported else { return }
    for entity in schema.entities {
      let names = entity.properties.filter(\.isUnique).map(\.name)
      guard let property = names.first ?? entity.uniquenessConstraints.first?.first else {
        continue
      }
      throw DataStoreError(
        .unsupportedFeature,
        "the store keeps no values unique; declare the property without that",
        entity: entity.name,
        property: property
      )
    }
  }
}
