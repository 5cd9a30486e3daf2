import StoreProtocol

extension DataStoreError {
  /// Returns the error of a bulk change that SQL cannot make.
  package static func unsupportedBulkChange(
    of entity: String,
    _ property: String? = nil
  ) -> DataStoreError {
    DataStoreError(
      .unsupportedFeature,
      "the store cannot change these rows in one statement; change the objects",
      entity: entity,
      property: property
    )
  }

  /// Returns the error of a row whose new value overflows.
  package static func overflow(
    inRow key: Int64,
    of entity: String,
    _ property: String
  ) -> DataStoreError {
    DataStoreError(
      .invalidValue,
      "the new value of row \(key) cannot be computed, because a number overflows; nothing was "
        + "changed",
      entity: entity,
      property: property
    )
  }
}
