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

extension StoreChanges {
  /// Returns the new and changed rows that refer to rows that do not exist, for
  /// `StoreChangesResult.changedByStore`.
  ///
  /// It costs one call of the closure for each reference to a stored row.
  ///
  /// - Parameters:
  ///   - remapped: The permanent identifier of each new row.
  ///   - exists: A closure that returns whether a row exists before the insertions of the batch.
  /// - Returns: The rows, the new ones first.
  /// - Throws: The errors of the closure.
  public func rowsWithoutTargets(
    _ remapped: [PersistentIdentifier: PersistentIdentifier],
    exists: (PersistentIdentifier) throws -> Bool
  ) throws -> [PersistentIdentifier] {
    func refersToNone(_ value: StoreValue) throws -> Bool {
      switch value {
      case .identifier(let one): try !one.isTemporary && !exists(one)
      case .identifiers(let list): try list.contains { try !$0.isTemporary && !exists($0) }
      default: false
      }
    }
    let new = try inserted.filter { try $0.values.contains(where: refersToNone) }
    let changed = try updated.filter { try $0.changes.contains { try refersToNone($0.value) } }
    return new.compactMap { remapped[$0.persistentIdentifier] } + changed.map(\.identifier)
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
