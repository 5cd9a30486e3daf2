import SQLTranslation
import StoreProtocol

/// The differences of rows before and after a program's statements.
struct RawDifference {
  /// A reference of a written row to a row that does not exist.
  struct DanglingReference {
    let row: Int64
    let target: Int64
    let entity: String
    let property: String
  }

  private let before: [PersistentIdentifier.Key: DefaultSnapshot]
  private let after: [DefaultSnapshot]
  private let deleted: [PersistentIdentifier]

  /// Creates the differences of all rows that were written.
  init(
    before: [DefaultSnapshot],
    after: [DefaultSnapshot],
    deleted: [PersistentIdentifier]
  ) {
    self.before = Dictionary(firstOf: before.lazy.map { ($0.persistentIdentifier.key, $0) })
    self.after = after.sorted { $0.persistentIdentifier < $1.persistentIdentifier }
    self.deleted = deleted
  }

  /// Throws ``DataStoreError/invalidValue`` for a reference to a row that does not exist.
  ///
  /// The save removes the references that rows had to deleted ones.
  func check(_ references: [DanglingReference]) throws {
    let gone = Set(deleted.compactMap(\.integerKey))
    for reference in references {
      let isOld = before[.integer(reference.row)]?.values.contains { value in
        value.identifiers.contains { $0.integerKey == reference.target }
      }
      guard isOld != true || !gone.contains(reference.target) else { continue }
      throw DataStoreError(
        .invalidValue,
        "the statements leave a reference of the row \(reference.row) to the row "
          + "\(reference.target), which does not exist",
        entity: reference.entity,
        property: reference.property
      )
    }
  }

  /// Returns the changes of a save, or `nil` if there are none.
  ///
  /// - Throws: ``DataStoreError/invalidValue`` for a row that no save would have written, and
  ///   ``DataStoreError/unsupportedFeature`` for changes of the store's own columns.
  func changes(_ keys: RawKeys, _ map: StoreMap) throws -> StoreChanges? {
    var temporary: [PersistentIdentifier: PersistentIdentifier] = [:]
    for record in after where before[record.persistentIdentifier.key] == nil {
      let identifier = record.persistentIdentifier
      try check(identifier, keys)
      temporary[identifier] = .temporary(of: identifier.entityName)
    }
    var inserted: [DefaultSnapshot] = []
    var updated: [StoreUpdate] = []
    var given: [PersistentIdentifier: Int64] = [:]
    for record in after {
      let identifier = record.persistentIdentifier
      try check(record, map.catalog.schema.requiredEntity(identifier.entityName))
      let new = record.copy(
        persistentIdentifier: temporary[identifier] ?? identifier,
        remappedIdentifiers: temporary
      )
      if let old = before[identifier.key] {
        let update = try update(old, record, new)
        if !update.changes.isEmpty { updated.append(update) }
      } else {
        given[new.persistentIdentifier] = identifier.integerKey
        inserted.append(new)
      }
    }
    guard !inserted.isEmpty || !updated.isEmpty || !deleted.isEmpty || keys.areTaken else {
      return nil
    }
    var changes = StoreChanges(inserted: inserted, updated: updated, deleted: deleted)
    changes.requiresNew = true
    changes.keys = given
    if keys.areTaken { changes.nextKey = keys.next }
    return changes
  }

  /// Returns the values of a row that differ, with references to new rows as the save has them.
  private func update(
    _ old: DefaultSnapshot,
    _ record: DefaultSnapshot,
    _ new: DefaultSnapshot
  ) throws -> StoreUpdate {
    let identifier = record.persistentIdentifier
    guard identifier.entityName == old.persistentIdentifier.entityName,
      record.version == old.version
    else {
      throw DataStoreError(
        .unsupportedFeature,
        "the columns _key, _entity and _version are written only by the store",
        entity: identifier.entityName,
        identifiers: [identifier]
      )
    }
    let indices = record.values.indices.filter { isChanged(old.values[$0], record.values[$0]) }
    return StoreUpdate(
      identifier: identifier,
      changes: indices.map { StoreUpdate.Change($0, new.values[$0]) }
    )
  }

  /// Returns whether statements changed a value.
  ///
  /// They see strings in composed form, whose spelling is then unchanged.
  private func isChanged(_ old: StoreValue, _ new: StoreValue) -> Bool {
    if case .string(let text) = old, new == .string(ExactText.composed(text)) { return false }
    return new != old
  }

  private func check(_ identifier: PersistentIdentifier, _ keys: RawKeys) throws {
    if let key = identifier.integerKey, keys.contains(key) { return }
    throw DataStoreError(
      .invalidValue,
      "the row \(identifier) was inserted with a key that the store did not assign; get each key from "
        + "newKey(), and update rows instead of replacing them",
      entity: identifier.entityName
    )
  }

  /// Throws if an attribute has no value that its type can represent.
  private func check(_ record: DefaultSnapshot, _ entity: StoreEntity) throws {
    for (property, value) in zip(entity.properties, record.values) {
      guard case .attribute(let type) = property.kind else { continue }
      let isMissing = value.isNull && !property.isOptional && type != .codable
      guard isMissing || !type.canRepresent(value) else { continue }
      throw DataStoreError(
        .invalidValue,
        isMissing ? "the property is required" : "the number does not fit the property's type",
        entity: entity.name,
        property: property.name,
        identifiers: [record.persistentIdentifier]
      )
    }
  }
}

extension AttributeType {
  /// Whether an integer that a column can store is one of the type.
  fileprivate func canRepresent(_ value: StoreValue) -> Bool {
    switch value {
    case .integer(let number): integers?.contains(number) ?? (self != .uint64 || number >= 0)
    case .unsigned: self == .uint64
    case .double(let number): self != .float || number.isNaN || Double(Float(number)) == number
    default: true
    }
  }
}
