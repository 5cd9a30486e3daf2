import StoreHelpers
import StoreProtocol

/// One batch of changes while it is applied to the rows.
struct MemoryBatch {
  let catalog: Catalog
  /// The rows that the new records are assumed to become; references to other records are treated as
  /// nil.
  let assigned: [PersistentIdentifier: PersistentIdentifier]
  /// The rows, which the caller moves in before applying the batch and out afterward.
  var rows = MemoryRows()
  /// The result, with the rows that the new records became, and the number of the save, which becomes
  /// the version of the changed rows.
  private(set) var result: StoreChangesResult
  /// Whether the row being written refers to a row that does not exist.
  private(set) var losesReferences = false
  /// The rows that merged rows referred to before.
  var counterparts: [FormerCounterpart] = []
  /// The changes for the history, or `nil` if it keeps none.
  var recorder: HistoryRecorder?

  /// Applies changes: deletions, then updates, then insertions.
  mutating func apply(_ changes: StoreChanges) throws {
    if !changes.protectedReferences.isEmpty { try checkReferences(changes) }
    if !changes.deleted.isEmpty {
      try delete(changes.deleted)
      try forget(changes.deleted)
    }
    if !changes.updates.isEmpty { try update(changes.updates) }
    for run in changes.insertions {
      let entity = try catalog.schema.requiredEntity(run.entityName)
      try run.forEachRow(of: entity) { try insert($0, $1, of: entity, key: changes.keys[$0]) }
    }
    if let next = changes.nextKey { rows.skipKeys(to: next) }
    if !counterparts.isEmpty { try detachFormerCounterparts() }
  }

  private mutating func delete(_ identifiers: [PersistentIdentifier]) throws {
    for key in identifiers.compactMap(\.integerKey) {
      guard let row = rows.byKey[key] else { continue }
      let entity = try catalog.schema.requiredEntity(row.persistentIdentifier.entityName)
      rows.release(catalog.uniqueValues(of: row))
      rows.remove(key)
      recorder?.before[key] = row
      recorder?.record(.delete, [key], of: entity)
    }
  }

  /// Throws if the batch takes related rows away from rows by protected relationships.
  private func checkReferences(_ changes: StoreChanges) throws {
    let gone = Set(changes.deleted.compactMap(\.integerKey))
    let losing = keys(referringTo: gone).sorted().compactMap { rows.byKey[$0] }
    try changes.checkProtectedReferences(in: catalog.schema) { entity, index in
      losing.filter {
        $0.persistentIdentifier.entityName == entity.name
          && $0.values[index] != $0.values[index].without(gone)
      }
      .map(\.persistentIdentifier)
    } exists: { target in
      target.integerKey.map { !gone.contains($0) } == true && rows[target] != nil
    }
  }

  private func keys(referringTo gone: Set<Int64>) -> Set<Int64> {
    gone.reduce(into: []) { $0.formUnion(rows.keys(referringTo: $1)) }
  }

  /// Clears the references of rows to deleted ones.
  private mutating func forget(_ deletions: [PersistentIdentifier]) throws {
    if !rows.haveReferences { return }
    let gone = Set(deletions.compactMap(\.integerKey))
    for key in keys(referringTo: gone) {
      try change(key, by: .deleteRule) { row in row.values = row.values.map { $0.without(gone) } }
    }
  }

  /// Updates rows, and checks uniqueness after all rows have their new values, so that rows can
  /// exchange values.
  private mutating func update(_ runs: [RowRun]) throws {
    var changed: [Int64: DefaultSnapshot] = [:]
    var changesUniqueValues = false
    for run in runs {
      let entity = try catalog.schema.requiredEntity(run.entityName)
      try run.forEachRow(of: entity) { identifier, values in
        guard let key = identifier.integerKey, let row = changed[key] ?? rows.byKey[key]
        else { throw DataStoreError.missingRow(identifier) }
        changed[key] = try applied(values, of: run.properties, entity, to: row)
        if recorder != nil { try note(run.properties, of: row, at: key, by: .program) }
      }
      changesUniqueValues = changesUniqueValues || catalog.areUnique(run.properties, of: entity)
    }
    if changesUniqueValues {
      for key in changed.keys {
        rows.byKey[key].map { rows.release(catalog.uniqueValues(of: $0)) }
      }
    }
    for (key, row) in changed.sorted(by: { $0.key < $1.key }) {
      let unique = changesUniqueValues ? catalog.uniqueValues(of: row) : []
      try rows.put(row, at: key, unique: unique)
    }
  }

  private mutating func applied(
    _ values: [StoreValue],
    of properties: [Int],
    _ entity: StoreEntity,
    to row: DefaultSnapshot
  ) throws -> DefaultSnapshot {
    var row = row
    for index in properties {
      guard values.indices.contains(index), row.values.indices.contains(index) else {
        throw DataStoreError.missingProperty(index, of: entity)
      }
      row.values[index] = withStoredReferences(values[index])
      row.version = result.version
    }
    if losesReferences { noteLostReferences(of: row.persistentIdentifier) }
    return row
  }

  private mutating func insert(
    _ temporary: PersistentIdentifier,
    _ values: [StoreValue],
    of entity: StoreEntity,
    key given: Int64?
  ) throws {
    let values = values.map { withStoredReferences($0) }
    let new = DefaultSnapshot(persistentIdentifier: temporary, entity: entity, values: values)
    let unique = catalog.uniqueValues(of: new)
    if let key = try rows.key(holding: unique, new: entity.name),
      let row = rows.byKey[key]
    {
      result.remapped[temporary] = row.persistentIdentifier
      result.merged.insert(temporary)
      try merge(new, of: entity, into: row, at: key)
    } else {
      if let given {
        try StoreNumbers.check(given, from: rows.lastKey + 1, of: entity.name)
        rows.skipKeys(to: given)
      }
      let key = rows.takeKey()
      let permanent = catalog.identifier(key, of: entity)
      result.remapped[temporary] = permanent
      var row = DefaultSnapshot(persistentIdentifier: permanent, entity: entity, values: values)
      row.version = result.version
      try rows.put(row, at: key, unique: unique)
      recorder?.record(.insert, [key], of: entity)
    }
    if losesReferences, let row = result.remapped[temporary] { noteLostReferences(of: row) }
  }

  /// Changes a row because of other rows.
  ///
  /// - Parameters:
  ///   - key: The key of the row.
  ///   - cause: The cause of the changes, for the history.
  ///   - named: The properties that the history names in any case, and not only if their values change.
  ///   - body: Changes the values.
  /// - Throws: ``DataStoreError/uniqueConflict`` if another row has the new unique values.
  mutating func change(
    _ key: Int64,
    by cause: StoreChange.Cause,
    named: Range<Int> = 0..<0,
    _ body: (inout DefaultSnapshot) -> Void
  ) throws {
    guard let old = rows.byKey[key] else { return }
    var row = old
    rows.release(catalog.uniqueValues(of: old))
    body(&row)
    try rows.put(row, at: key, unique: catalog.uniqueValues(of: row))
    let entity = try catalog.schema.requiredEntity(old.persistentIdentifier.entityName)
    let changed = entity.properties.indices.filter { index in
      // An order that lost a row does not count.
      named.contains(index)
        || !entity.properties[index].isDerivedToMany && old.values[index] != row.values[index]
    }
    try note(changed, of: old, at: key, by: cause)
  }

  /// Records changed properties of a row, and the row before them if the history keeps values.
  private mutating func note(
    _ properties: [Int],
    of row: DefaultSnapshot,
    at key: Int64,
    by cause: StoreChange.Cause
  ) throws {
    let entity = try catalog.schema.requiredEntity(row.persistentIdentifier.entityName)
    if recorder?.wantsRow(of: entity, deleting: false) == true, recorder?.before[key] == nil {
      recorder?.before[key] = row
    }
    recorder?.record(.update, [key], of: entity, properties, cause: cause)
  }

  /// Returns the stored form of a value: its references to existing rows, with the entities of
  /// those rows.
  private mutating func withStoredReferences(_ value: StoreValue) -> StoreValue {
    value.mappingReferences { reference in
      let row = assigned[reference] ?? rows[reference]?.persistentIdentifier
      if row == nil, !reference.isTemporary { losesReferences = true }
      return row
    }
    .withoutRepeats
  }

  private mutating func noteLostReferences(of row: PersistentIdentifier) {
    result.changedByStore.append(row)
    losesReferences = false
  }
}

extension StoreValue {
  /// Returns the value without references to rows with the given keys.
  fileprivate func without(_ keys: Set<Int64>) -> StoreValue {
    mappingReferences { $0.integerKey.map(keys.contains) ?? false ? nil : $0 }
  }
}
