extension RecordStore {
  /// Throws if a batch requires a feature that the store does not have; the first call of
  /// ``RecordStore/apply(_:)``.
  ///
  /// - Throws: ``DataStoreError/unsupportedFeature`` for bulk changes that the store does not make
  ///   itself, for expected versions and protected references if it keeps no versions, and for history
  ///   readers if it keeps no history.
  public func check(_ changes: StoreChanges) throws {
    if let change = changes.bulkChanges.first, capabilities.batchDelete != .native {
      throw DataStoreError(
        .unsupportedFeature,
        "the store does not support bulk changes; change the objects one by one",
        entity: change.query.entity
      )
    }
    if let row = changes.expectedVersions.keys.first, capabilities.versions != .native {
      throw DataStoreError(
        .unsupportedFeature,
        "the store keeps no versions of its rows; save without expected versions",
        entity: row.entityName
      )
    }
    if let reference = changes.protectedReferences.first, capabilities.versions != .native {
      throw DataStoreError(
        .unsupportedFeature,
        "the store keeps no versions of its rows; save without protected references",
        entity: reference.entity,
        property: reference.property
      )
    }
    if let reader = changes.readers.first, !capabilities.history.isSupported {
      throw DataStoreError(
        .unsupportedFeature,
        "the store keeps no history and cannot store the position of the reader \(reader.name)"
      )
    }
  }
}
