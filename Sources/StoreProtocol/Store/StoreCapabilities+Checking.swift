extension StoreCapabilities {
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
