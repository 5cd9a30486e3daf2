import StoreProtocol

extension StoreChanges {
  /// Throws if a new record became an update and must not.
  ///
  /// This is so if the batch requires new records (`requiresNew`), and if the row's entity is neither
  /// the record's nor inherits from it: references to the record would refer to a row that their
  /// relationship cannot have, and the properties that the row's entity lacks would be lost. Call it
  /// before anything is stored.
  ///
  /// - Parameters:
  ///   - result: The result of applying the batch.
  ///   - schema: The store's schema.
  /// - Throws: `DataStoreError.uniqueConflict` with the object that already has the unique
  ///   values.
  public func checkInsertions(_ result: StoreChangesResult, in schema: StoreSchema) throws {
    for record in result.merged.sorted() {
      guard let row = result.remapped[record] else { continue }
      if !schema.isEntity(row.entityName, kindOf: record.entityName) {
        throw DataStoreError(
          .uniqueConflict,
          "a new \(record.entityName) has the unique values of \(row), which cannot become one; "
            + "change them, or delete the stored object",
          entity: record.entityName,
          identifiers: [row]
        )
      }
      guard requiresNew else { continue }
      throw DataStoreError(
        .uniqueConflict,
        "a new object has the unique values of \(row) and must not update it; change them, or let "
          + "the save update the stored object",
        entity: record.entityName,
        identifiers: [row]
      )
    }
  }
}

extension DataStoreError {
  /// The error for new records whose merges into stored rows cause further merges without end.
  public static var endlessMerges: DataStoreError {
    DataStoreError(
      .uniqueConflict,
      "new objects cannot be merged into stored ones: each merge causes another"
    )
  }

  /// Returns the error for a row that another save has deleted.
  public static func missingRow(_ identifier: PersistentIdentifier) -> DataStoreError {
    DataStoreError(
      .conflict,
      "the row \(identifier) no longer exists; fetch again",
      entity: identifier.entityName
    )
  }

  /// Returns the error for an update of a property that an entity lacks.
  public static func missingProperty(_ index: Int, of entity: StoreEntity) -> DataStoreError {
    DataStoreError(
      .invalidValue,
      "the update names property \(index), which the entity lacks",
      entity: entity.name
    )
  }

  /// Returns the error for two objects that would have the same unique values.
  ///
  /// - Parameters:
  ///   - first: An object.
  ///   - second: The other object.
  ///   - properties: The properties that are unique together.
  ///   - entity: The entity that declares the constraint.
  ///   - file: The store's file.
  /// - Returns: The error.
  public static func uniqueConflict(
    between first: PersistentIdentifier,
    and second: PersistentIdentifier,
    over properties: [String],
    of entity: String,
    file: String? = nil
  ) -> DataStoreError {
    let names = properties.joined(separator: ", ")
    let both = [first, second].sorted()
    return DataStoreError(
      .uniqueConflict,
      "\(both[0]) and \(both[1]) would have the same \(names); change one of them",
      entity: entity,
      property: names,
      identifiers: both,
      file: file
    )
  }

  /// Returns the error for a new object that has unique values of two other objects.
  ///
  /// - Parameters:
  ///   - entity: The entity of the new object.
  ///   - rivals: The two other objects, each with the properties that it has in common with the new
  ///     one.
  ///   - file: The store's file.
  /// - Returns: The error.
  public static func uniqueConflict(
    ofNew entity: String,
    with rivals: [(row: PersistentIdentifier, properties: [String])],
    file: String? = nil
  ) -> DataStoreError {
    let list = rivals.map { "\($0.properties.joined(separator: ", ")) of \($0.row)" }
    return DataStoreError(
      .uniqueConflict,
      "a new object has the unique values of two stored objects: "
        + "\(list.joined(separator: " and "))",
      entity: entity,
      property: rivals.flatMap(\.properties).joined(separator: ", "),
      identifiers: rivals.map(\.row),
      file: file
    )
  }
}
