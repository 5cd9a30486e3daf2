import StoreHelpers
import StoreProtocol

/// One batch of changes to be added to the edits of an overlay.
struct OverlayBatch<Base: RecordStore> {
  var rows: OverlayRows<Base>
  let schema: StoreSchema
  private let version: Int64
  private let assigned: [PersistentIdentifier: PersistentIdentifier]
  /// The rows that references of the batch refer to.
  private var targets: [PersistentIdentifier.Key: PersistentIdentifier] = [:]
  /// The rows that the batch changed.
  private(set) var touched: Set<PersistentIdentifier.Key> = []
  private(set) var result: StoreChangesResult
  /// The earlier counterparts of merged rows.
  var counterparts: [EarlierCounterpart] = []

  /// The edits with those of the batch.
  var state: OverlayState { rows.state }

  /// Begins a batch.
  ///
  /// - Parameters:
  ///   - rows: The current rows.
  ///   - keepsVersions: Whether rows get the number of the save.
  ///   - assigned: The rows that the new records are assumed to merge into; references to other
  ///     records count as `nil`.
  init(
    _ rows: OverlayRows<Base>,
    keepsVersions: Bool,
    assigned: [PersistentIdentifier: PersistentIdentifier]
  ) {
    self.rows = rows
    self.assigned = assigned
    schema = rows.base.schema.storeSchema
    version = keepsVersions ? rows.state.lastSave + 1 : 0
    result = StoreChangesResult(version: version)
    self.rows.state.lastSave += 1
  }

  /// Applies changes: deletions, then updates, then insertions.
  mutating func apply(_ changes: StoreChanges) throws {
    try check(changes.expectedVersions)
    try delete(changes.deleted)
    targets = try targets(of: changes)
    try update(changes.updated)
    for record in changes.inserted { try insert(record) }
    try partFormerCounterparts()
  }

  private func check(_ expected: [PersistentIdentifier: Int64]) throws {
    let found = try Dictionary(
      firstOf: rows.rows(expected.keys).map { ($0.persistentIdentifier.key, $0.version) }
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
    let gone = try rows.rows(identifiers)
    guard !gone.isEmpty else { return }
    for record in try rows.unique(referringTo: gone) + gone { rows.state.unique.release(record) }
    for record in gone {
      let identifier = record.persistentIdentifier
      let stored = rows.state.rows[identifier.key]?.stored
      let row = OverlayState.Row(entity: identifier.entityName, stored: stored)
      rows.state.rows[identifier.key] = row
      touched.insert(identifier.key)
    }
  }

  /// Returns the existing rows among those that references of the batch name, with their own
  /// entities.
  private func targets(
    of changes: StoreChanges
  ) throws -> [PersistentIdentifier.Key: PersistentIdentifier] {
    let values =
      changes.inserted.flatMap(\.values)
      + changes.updated.flatMap { $0.changes.map(\.value) }
    let stored = Set(values.flatMap(\.identifiers).filter { !$0.isTemporary })
    return Dictionary(
      firstOf: try rows.rows(stored).map { ($0.persistentIdentifier.key, $0.persistentIdentifier) }
    )
  }

  /// Returns the stored form of a value: references to existing rows, with those rows' own
  /// entities.
  private func withStoredReferences(_ value: StoreValue) -> StoreValue {
    value.mappingReferences { assigned[$0] ?? targets[$0.key] }.withoutRepeats
  }

  /// Applies updates, and checks uniqueness after all rows have their new values, so that rows can
  /// exchange theirs.
  private mutating func update(_ updates: [StoreUpdate]) throws {
    var changed: [PersistentIdentifier.Key: DefaultSnapshot] = [:]
    for update in updates {
      let key = update.identifier.key
      let before = try changed[key] ?? row(update.identifier)
      if changed[key] == nil { rows.state.unique.release(before) }
      changed[key] = try applied(update, to: before)
    }
    for record in changed.values.sorted(by: { $0.persistentIdentifier < $1.persistentIdentifier }) {
      try put(record)
    }
  }

  private func row(_ identifier: PersistentIdentifier) throws -> DefaultSnapshot {
    guard let record = try rows.rows([identifier]).first else {
      throw DataStoreError.missingRow(identifier)
    }
    return record
  }

  private func applied(
    _ update: StoreUpdate,
    to record: DefaultSnapshot
  ) throws -> DefaultSnapshot {
    let entity = try schema.requiredEntity(record.persistentIdentifier.entityName)
    var changed = record.aligned(with: entity)
    for change in update.changes {
      guard entity.properties.indices.contains(change.index) else {
        throw DataStoreError.missingProperty(change.index, of: entity)
      }
      guard !entity.properties[change.index].isEphemeral else { continue }
      changed.values[change.index] = withStoredReferences(change.value)
      changed.version = version
    }
    return changed
  }

  private mutating func insert(_ record: DefaultSnapshot) throws {
    let temporary = record.persistentIdentifier
    let entity = try schema.requiredEntity(temporary.entityName)
    let values = entity.properties.map {
      $0.isEphemeral ? .null : withStoredReferences(record[$0.name] ?? .null)
    }
    var new = DefaultSnapshot(persistentIdentifier: temporary, entity: entity, values: values)
    if let like = try rows.state.unique.row(like: new) {
      result.remapped[temporary] = like
      result.merged.insert(temporary)
      return try merge(new, of: entity, into: row(like), version: version)
    }
    rows.state.lastKey += 1
    let identifier = PersistentIdentifier(
      .integer(rows.state.lastKey),
      of: entity.name,
      in: rows.base.identifier
    )
    result.remapped[temporary] = identifier
    new = DefaultSnapshot(persistentIdentifier: identifier, entity: entity, values: values)
    new.version = version
    try put(new)
  }

  /// Sets a row whose unique values were released, or that is new.
  mutating func put(_ record: DefaultSnapshot) throws {
    try rows.state.unique.hold(record)
    let identifier = record.persistentIdentifier
    let stored = rows.state.rows[identifier.key]?.stored
    rows.state.rows[identifier.key] = OverlayState.Row(
      record: record,
      entity: identifier.entityName,
      stored: stored
    )
    touched.insert(identifier.key)
  }
}

extension DefaultSnapshot {
  /// Returns the record with its values in the order of an entity; missing ones have their initial
  /// values.
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
