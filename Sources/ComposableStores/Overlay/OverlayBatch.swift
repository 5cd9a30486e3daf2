import StoreProtocol

/// One batch of changes on its way into the edits of an overlay.
struct OverlayBatch<Base: RecordStore> {
  private var rows: OverlayRows<Base>
  private let schema: StoreSchema
  private let storeIdentifier: String
  private let version: Int64
  /// The rows that the batch touched.
  private(set) var touched: Set<PersistentIdentifier.Key> = []
  /// What the batch came to.
  private(set) var result: StoreChangesResult

  /// The edits with those of the batch.
  var state: OverlayState { rows.state }

  /// Begins a batch.
  init(_ rows: OverlayRows<Base>, keepsVersions: StoreCapabilities.Support) {
    self.rows = rows
    schema = rows.base.schema.storeSchema
    storeIdentifier = rows.base.identifier
    version = keepsVersions.isSupported ? rows.state.lastSave + 1 : 0
    result = StoreChangesResult(version: version)
    self.rows.state.lastSave += 1
  }

  /// Applies changes: deletions, then updates, then insertions.
  mutating func apply(_ changes: StoreChanges) throws {
    try check(changes.expectedVersions)
    try delete(changes.deleted)
    for record in changes.inserted { try giveKey(to: record) }
    try checkReferences(of: changes)
    let known = try targets(of: changes)
    for update in changes.updated { try self.update(update, known) }
    for record in changes.inserted { try insert(record, known) }
  }

  private func check(_ expected: [PersistentIdentifier: Int64]) throws {
    let found = try Dictionary(
      rows.rows(expected.keys).map { ($0.persistentIdentifier.key, $0.version) },
      uniquingKeysWith: { first, _ in first }
    )
    for (identifier, version) in expected where found[identifier.key] != version {
      throw DataStoreError(
        .conflict,
        "the row \(identifier) was changed by another save; fetch again",
        entity: identifier.entityName,
        identifiers: [identifier]
      )
    }
  }

  private mutating func delete(_ identifiers: [PersistentIdentifier]) throws {
    for record in try rows.rows(identifiers) {
      let identifier = record.persistentIdentifier
      let stored = rows.state.rows[identifier.key]?.stored
      put(OverlayState.Row(entity: identifier.entityName, stored: stored), at: identifier.key)
    }
  }

  private mutating func giveKey(to record: DefaultSnapshot) throws {
    let name = record.persistentIdentifier.entityName
    guard schema.entity(named: name) != nil else {
      throw DataStoreError(.schemaMismatch, "the schema lacks this entity", entity: name)
    }
    rows.state.lastKey += 1
    result.remapped[record.persistentIdentifier] = PersistentIdentifier(
      scope: PersistentIdentifier.Scope(storeIdentifier: storeIdentifier, entityName: name),
      key: .integer(rows.state.lastKey)
    )
  }

  private func checkReferences(of changes: StoreChanges) throws {
    let values =
      changes.inserted.map { ($0.persistentIdentifier, $0.values) }
      + changes.updated.map { ($0.identifier, $0.changes.map(\.value)) }
    for (identifier, values) in values {
      let references = values.flatMap(\.references)
      guard references.contains(where: { $0.isTemporary && result.remapped[$0] == nil }) else {
        continue
      }
      throw DataStoreError(
        .invalidValue,
        "the relationship holds a new object that is not part of the save; save it as well",
        entity: identifier.entityName
      )
    }
  }

  /// What references of the batch lead to, by what they name: rows that are there, with their own
  /// entities.
  private func targets(
    of changes: StoreChanges
  ) throws -> [PersistentIdentifier.Key: PersistentIdentifier] {
    var targets = Dictionary(
      result.remapped.map { ($0.key.key, $0.value) },
      uniquingKeysWith: { first, _ in first }
    )
    let values =
      changes.inserted.flatMap(\.values)
      + changes.updated.flatMap { $0.changes.map(\.value) }
    let stored = Set(values.flatMap(\.references).filter { !$0.isTemporary })
    for record in try rows.rows(stored) {
      targets[record.persistentIdentifier.key] = record.persistentIdentifier
    }
    return targets
  }

  private mutating func update(
    _ update: StoreUpdate,
    _ known: [PersistentIdentifier.Key: PersistentIdentifier]
  ) throws {
    guard let record = try rows.rows([update.identifier]).first,
      let entity = schema.entity(named: record.persistentIdentifier.entityName)
    else {
      throw DataStoreError(
        .conflict,
        "the row \(update.identifier) is not there to be changed; fetch again",
        entity: update.identifier.entityName
      )
    }
    var changed = record.aligned(with: entity)
    for change in update.changes {
      guard entity.properties.indices.contains(change.index) else {
        throw DataStoreError(
          .invalidValue,
          "the update names property \(change.index), which the entity lacks",
          entity: entity.name
        )
      }
      guard !entity.properties[change.index].isEphemeral else { continue }
      changed.values[change.index] = change.value.mappingReferences { known[$0.key] }
      changed.version = version
    }
    put(changed)
  }

  private mutating func insert(
    _ record: DefaultSnapshot,
    _ known: [PersistentIdentifier.Key: PersistentIdentifier]
  ) throws {
    guard let identifier = result.remapped[record.persistentIdentifier],
      let entity = schema.entity(named: identifier.entityName)
    else { return }
    let values = entity.properties.map { property in
      property.isEphemeral
        ? .null : (record[property.name] ?? .null).mappingReferences { known[$0.key] }
    }
    var new = DefaultSnapshot(persistentIdentifier: identifier, entity: entity, values: values)
    new.version = version
    put(new)
  }

  private mutating func put(_ record: DefaultSnapshot) {
    let identifier = record.persistentIdentifier
    let stored = rows.state.rows[identifier.key]?.stored
    let row = OverlayState.Row(record: record, entity: identifier.entityName, stored: stored)
    put(row, at: identifier.key)
  }

  private mutating func put(_ row: OverlayState.Row, at key: PersistentIdentifier.Key) {
    rows.state.rows[key] = row
    touched.insert(key)
  }
}

extension DefaultSnapshot {
  /// The record with its values in the order of an entity; what it lacks has its initial value.
  func aligned(with entity: StoreEntity) -> DefaultSnapshot {
    guard names != entity.propertyNames else { return self }
    var aligned = DefaultSnapshot(
      persistentIdentifier: persistentIdentifier,
      entity: entity,
      values: entity.properties.map { self[$0.name] ?? $0.defaultValue ?? .null }
    )
    aligned.version = version
    return aligned
  }
}
