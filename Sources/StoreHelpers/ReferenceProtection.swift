import StoreProtocol

extension StoreChanges {
  /// Throws if another save broke what `protectedReferences` says of the batch.
  ///
  /// That is so if it related a row to one that the batch deletes, or deleted a row to which the batch
  /// relates one, by one of these relationships.
  ///
  /// Call it in the transaction of the batch, before any row changes. It costs one call of `referring`
  /// for each protected relationship of each entity, and one of `exists` for each target.
  ///
  /// - Parameters:
  ///   - schema: The store's schema.
  ///   - referring: A closure that returns the rows of an entity, without those of its subentities,
  ///     whose property with an index refers to a row that the batch deletes.
  ///   - exists: A closure that returns whether a row exists and is not deleted by the batch.
  /// - Throws: `DataStoreError.conflict` with the rows, and errors of the closures.
  public func checkProtectedReferences(
    in schema: StoreSchema,
    referring: (StoreEntity, Int) throws -> [PersistentIdentifier],
    exists: (PersistentIdentifier) throws -> Bool
  ) throws {
    guard let protection = ReferenceProtection(self, schema) else { return }
    for entity in schema.entities {
      for (index, property) in entity.properties.enumerated()
      where !property.isDerivedToMany && protection.protects(property.name, of: entity.name) {
        try protection.check(referring(entity, index), referringBy: property.name)
      }
    }
    try protection.checkTargets(exists)
  }
}

/// The parts of the check of ``StoreChanges/protectedReferences``.
///
/// The stores of this package use them, since they find the rows that refer to a deleted one while they
/// delete it.
package struct ReferenceProtection {
  private let changes: StoreChanges
  private let schema: StoreSchema

  /// Creates the check of a batch, or returns `nil` if the batch protects nothing.
  package init?(_ changes: StoreChanges, _ schema: StoreSchema) {
    if changes.protectedReferences.isEmpty { return nil }
    (self.changes, self.schema) = (changes, schema)
  }

  /// The protected relationships.
  package var references: Set<StoreReference> { changes.protectedReferences }

  /// Returns whether a relationship of the rows of an entity is protected.
  package func protects(_ property: String, of entity: String) -> Bool {
    references.contains { $0.property == property && schema.isEntity(entity, kindOf: $0.entity) }
  }

  /// Throws if some rows lose a related row, because the batch deletes it.
  ///
  /// - Parameters:
  ///   - rows: The rows that refer to deleted ones, before the batch.
  ///   - property: The relationship by which they do.
  /// - Throws: ``DataStoreError/conflict`` with the rows that the batch neither deletes nor relates to
  ///   others.
  package func check(_ rows: [PersistentIdentifier], referringBy property: String) throws {
    let referring = rows.filter { protects(property, of: $0.entityName) }
    if referring.isEmpty { return }
    let deleted = Set(changes.deleted.map(\.key))
    let related = changes.updated.filter { update in
      let properties = schema.entity(named: update.identifier.entityName)?.properties ?? []
      return update.changes.contains {
        properties.indices.contains($0.index) && properties[$0.index].name == property
      }
    }
    let changed = deleted.union(related.map(\.identifier.key))
    let losing = referring.filter { !changed.contains($0.key) }
    guard let first = losing.first else { return }
    throw DataStoreError(
      .conflict,
      "another save related \(first) to an object that this save deletes; fetch again",
      entity: first.entityName,
      property: property,
      identifiers: losing
    )
  }

  /// Throws if the batch relates a row to a row that does not exist.
  ///
  /// - Parameter exists: A closure that returns whether a row exists after the deletions of the batch.
  /// - Throws: ``DataStoreError/conflict`` with the missing rows, and errors of the closure.
  package func checkTargets(_ exists: (PersistentIdentifier) throws -> Bool) throws {
    for record in changes.insertions.filter(mayRefer).flatMap(\.records) {
      let entity = record.persistentIdentifier.entityName
      for (name, value) in zip(record.names.names, record.values) {
        try check(value, of: name, entity, exists)
      }
    }
    for update in changes.updates.filter(mayRefer).flatMap(\.updates) {
      guard let entity = schema.entity(named: update.identifier.entityName) else { continue }
      for change in update.changes where entity.properties.indices.contains(change.index) {
        try check(change.value, of: entity.properties[change.index].name, entity.name, exists)
      }
    }
  }

  /// Whether rows of a run may refer to others by a protected relationship.
  private func mayRefer(_ run: RowRun) -> Bool {
    references.contains {
      schema.isEntity(run.entityName, kindOf: $0.entity)
        || schema.isEntity($0.entity, kindOf: run.entityName)
    }
  }

  private func check(
    _ value: StoreValue,
    of property: String,
    _ entity: String,
    _ exists: (PersistentIdentifier) throws -> Bool
  ) throws {
    guard case .identifier(let target) = value, !target.isTemporary,
      protects(property, of: entity), try !exists(target)
    else { return }
    throw DataStoreError.missingTargets([target], of: StoreReference(property, of: entity))
  }
}

extension DataStoreError {
  /// Returns the error of a row that refers by a protected relationship to rows that do not exist.
  package static func missingTargets(
    _ targets: [PersistentIdentifier],
    of reference: StoreReference
  ) -> DataStoreError {
    DataStoreError(
      .conflict,
      "another save deleted \(targets.first.map(String.init(describing:)) ?? "the related object"), to "
        + "which this save relates an object; fetch again",
      entity: reference.entity,
      property: reference.property,
      identifiers: targets
    )
  }
}

extension StoreQuery {
  /// Throws if a change of rows by identifier did not find all of them.
  ///
  /// - Parameter keys: The keys of the rows that a bulk update found.
  /// - Throws: ``DataStoreError/conflict`` with the first missing row.
  package func requireRows(_ keys: [Int64]) throws {
    guard let identifiers, keys.count < identifiers.count else { return }
    let found = Set(keys)
    let isMissing = { (row: PersistentIdentifier) in row.integerKey.map(found.contains) != true }
    if let row = identifiers.first(where: isMissing) { throw DataStoreError.missingRow(row) }
  }
}
