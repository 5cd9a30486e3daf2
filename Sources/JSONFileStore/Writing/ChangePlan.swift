import StoreProtocol

/// A batch of changes, checked against the stored rows and ready to be written and applied.
///
/// Making a plan changes no row. What it has is what the journal records, and applying it to the
/// rows in memory cannot fail.
struct ChangePlan {
  /// One row with the cells that are to be written.
  struct Row {
    let table: Int
    let key: Int64
    /// For a new row all cells; for a change those of the properties below.
    var cells: [Cell]
    /// The positions of the changed properties, ascending.
    var properties: [Int] = []
  }

  private(set) var deleted: [(table: Int, key: Int64)] = []
  var updated: [Row] = []
  var inserted: [Row] = []
  private(set) var result = StoreChangesResult()
  var uniqueness = UniquenessCheck()
  /// Whom merged rows led to before.
  var partners: [FormerPartner] = []
  var values: IncomingValues

  let map: TableMap
  let file: String
  private(set) var updatePositions: [Int64: Int] = [:]
  private(set) var insertPositions: [Int64: Int] = [:]
  let scopes: [PersistentIdentifier.Scope]

  /// Whether there is nothing to do.
  var isEmpty: Bool { deleted.isEmpty && updated.isEmpty && inserted.isEmpty }

  /// The key of the next new row after this batch.
  var nextKey: Int64 { values.nextKey }

  /// Checks a batch; the rows that it needs are read into the state.
  ///
  /// Which row a new one becomes can depend on which rows those become that it refers to. Then
  /// the batch is tried until what came out is what was assumed.
  ///
  /// - Throws: `conflict` for a change of a row that is not there, `uniqueConflict`,
  ///   `invalidValue`, or `schemaMismatch` for an entity that the schema lacks.
  static func make(
    _ changes: StoreChanges,
    _ state: inout StoreState,
    map: TableMap,
    storeIdentifier: String,
    file: String
  ) throws -> ChangePlan {
    var known: [Int64: Int64] = [:]
    for _ in 0...changes.inserted.count + 1 {
      let values = IncomingValues(
        storeIdentifier: storeIdentifier,
        newNumbers: Set(changes.inserted.compactMap { Self.number(of: $0.persistentIdentifier) }),
        keys: known,
        nextKey: state.nextKey
      )
      let plan = try ChangePlan(changes, values, &state, map: map, file: file)
      if plan.values.keys == known || (known.isEmpty && !plan.uniqueness.metNewReference) {
        return plan
      }
      known = plan.values.keys
    }
    throw DataStoreError(.uniqueConflict, "new rows make each other equal to stored ones")
  }

  private static func number(of identifier: PersistentIdentifier) -> Int64? {
    if case .temporary(let number) = identifier.key { return number }
    return nil
  }

  private init(
    _ changes: StoreChanges,
    _ values: IncomingValues,
    _ state: inout StoreState,
    map: TableMap,
    file: String
  ) throws {
    self.map = map
    self.file = file
    self.values = values
    scopes = state.tables.map(\.scope)
    result.version = state.saves + 1
    for identifier in changes.deleted { try delete(identifier, &state) }
    for change in changes.updated { try update(change, &state) }
    try uniqueness.settleUpdates(updated, &state, map: map, file: file)
    inserted.reserveCapacity(changes.inserted.count)
    for record in changes.inserted { try insert(record, &state) }
    settleReferences()
    try partFormerPartners(&state)
  }

  /// The table and slot of a row, found by its key wherever in its hierarchy it is.
  private func find(
    _ identifier: PersistentIdentifier,
    _ state: inout StoreState
  ) throws -> (table: Int, slot: Int)? {
    guard let key = identifier.integerKey else { return nil }
    for index in try map.hierarchy(of: identifier.entityName) {
      try state.load(index, file: file)
      if let slot = state.tables[index].table?.slot(of: key) { return (index, slot) }
    }
    return nil
  }

  private mutating func delete(
    _ identifier: PersistentIdentifier,
    _ state: inout StoreState
  ) throws {
    guard let (table, slot) = try find(identifier, &state), let key = identifier.integerKey,
      !uniqueness.deleted.contains(key)
    else { return }
    deleted.append((table, key))
    try uniqueness.remove(key, table: table, slot: slot, &state, map: map, file: file)
    uniqueness.deleted.insert(key)
  }

  private mutating func update(_ update: StoreUpdate, _ state: inout StoreState) throws {
    guard let (table, slot) = try find(update.identifier, &state),
      let key = update.identifier.integerKey, !uniqueness.deleted.contains(key)
    else {
      throw DataStoreError(
        .conflict,
        "the row \(update.identifier) is not in the store any more",
        entity: update.identifier.entityName,
        file: file
      )
    }
    let entity = state.tables[table].entity
    let claimed = map.schema.entity(named: update.identifier.entityName) ?? entity
    var cells: [Int: Cell] = [:]
    for change in update.changes {
      let index = try property(change.index, of: claimed, in: entity)
      if map.types[table][index] == .ephemeral { continue }
      cells[index] = try values.cell(of: change.value, as: map.types[table][index], index, entity)
    }
    if cells.isEmpty { return }
    try uniqueness.remove(key, table: table, slot: slot, &state, map: map, file: file)
    merge(cells, table: table, key: key)
  }

  /// The position in a row's own entity of a property that is given by another of its hierarchy.
  private func property(
    _ index: Int,
    of claimed: StoreEntity,
    in entity: StoreEntity
  ) throws -> Int {
    guard claimed.properties.indices.contains(index),
      let found = entity.indexByName[claimed.properties[index].name]
    else {
      throw DataStoreError(
        .schemaMismatch,
        "the change names a property that the row does not have",
        entity: entity.name
      )
    }
    return found
  }

  /// Notes changed cells of a stored row, over those that were noted before.
  mutating func merge(_ cells: [Int: Cell], table: Int, key: Int64) {
    var merged = cells
    let position = updatePositions[key]
    if let position {
      let earlier = zip(updated[position].properties, updated[position].cells)
      for (index, cell) in earlier where merged[index] == nil { merged[index] = cell }
    }
    let properties = merged.keys.sorted()
    let row = Row(
      table: table,
      key: key,
      cells: properties.compactMap { merged[$0] },
      properties: properties
    )
    if let position {
      updated[position] = row
    } else {
      updatePositions[key] = updated.count
      updated.append(row)
    }
  }

  private mutating func insert(
    _ record: DefaultSnapshot,
    _ state: inout StoreState
  ) throws {
    let identifier = record.persistentIdentifier
    let table = try map.table(of: identifier.entityName)
    try state.load(table, file: file)
    let entity = state.tables[table].entity
    let cells = try cells(of: record, entity, map.types[table])
    let rival = try uniqueness.rival(of: cells, table: table, &state, map: map, file: file)
    let key = rival ?? values.nextKey
    if let rival {
      try takeOver(cells, entity, by: rival, &state)
      result.merged.insert(identifier)
    } else {
      values.nextKey += 1
      insertPositions[key] = inserted.count
      inserted.append(Row(table: table, key: key, cells: cells))
      try uniqueness.add(key, cells: cells, table: table, &state, map: map, file: file)
    }
    if case .temporary(let number) = identifier.key { values.keys[number] = key }
    result.remapped[identifier] = PersistentIdentifier(
      scope: scopes[rival.flatMap { self.table(of: $0, state, near: table) } ?? table],
      key: .integer(key)
    )
  }

  private func cells(
    of record: DefaultSnapshot,
    _ entity: StoreEntity,
    _ types: [CellType]
  ) throws -> [Cell] {
    let isAligned = record.names == PropertyNames.of(entity) && record.values.count == types.count
    var cells: [Cell] = []
    cells.reserveCapacity(types.count)
    for index in types.indices {
      let value = isAligned ? record.values[index] : record[entity.properties[index].name]
      cells.append(try values.cell(of: value ?? .null, as: types[index], index, entity))
    }
    return cells
  }

  /// The table of a row of this batch or of the store.
  func table(of key: Int64, _ state: StoreState, near table: Int) -> Int? {
    if let position = insertPositions[key] { return inserted[position].table }
    let tables = (try? map.hierarchy(of: state.tables[table].entity.name)) ?? []
    return tables.first { state.tables[$0].table?.slot(of: key) != nil }
  }

  /// Makes a new record a change of the row that has its unique values.
  private mutating func takeOver(
    _ cells: [Cell],
    _ entity: StoreEntity,
    by key: Int64,
    _ state: inout StoreState
  ) throws {
    let near = try map.table(of: entity.name)
    guard let table = table(of: key, state, near: near) else { return }
    let target = state.tables[table].entity
    let shared = map.schema.sharedPropertyCount(of: target, and: entity)
    notePartners(of: key, cells, entity, shared: shared, table: table, state)
    var changed: [Int: Cell] = [:]
    for (index, property) in entity.properties.prefix(shared).enumerated()
    where !property.isEphemeral {
      changed[index] =
        property.isToMany
        ? cell(index, of: key, table: table, state).joined(by: cells[index]) : cells[index]
    }
    if let position = insertPositions[key] {
      uniqueness.forget(key)
      for (index, cell) in changed { inserted[position].cells[index] = cell }
      let cells = inserted[position].cells
      return try uniqueness.add(key, cells: cells, table: table, &state, map: map, file: file)
    }
    guard let slot = state.tables[table].table?.slot(of: key) else { return }
    try uniqueness.remove(key, table: table, slot: slot, &state, map: map, file: file)
    merge(changed, table: table, key: key)
    guard let position = updatePositions[key] else { return }
    try uniqueness.settleUpdates([updated[position]], &state, map: map, file: file)
  }

  /// Puts keys in the place of temporary numbers, now that all are known.
  private mutating func settleReferences() {
    if result.remapped.isEmpty { return }
    let settlement = Settlement(
      values: values,
      remapped: result.remapped,
      references: map.types.map { types in
        types.indices.filter { Settlement.mayRefer(types[$0]) }
      }
    )
    for row in updated.indices { settlement.settleChanges(&updated[row]) }
    for row in inserted.indices { settlement.settleAll(&inserted[row]) }
  }

  /// Applies the batch to the rows in memory.
  func apply(to state: inout StoreState) {
    for (table, key) in deleted {
      state.withTable(table) { if let slot = $0.slot(of: key) { $0.remove(slot: slot) } }
    }
    for row in updated {
      state.withTable(row.table) { table in
        guard let slot = table.slot(of: row.key) else { return }
        for (property, cell) in zip(row.properties, row.cells) {
          table.set(cell, at: property, slot: slot)
        }
        table.stamp(slot, save: result.version)
      }
    }
    for (table, rows) in Dictionary(grouping: inserted, by: \.table) {
      state.withTable(table) { table in
        let first = table.slotCount
        table.append(rows.lazy.map { ($0.key, $0.cells) })
        for slot in first..<table.slotCount { table.stamp(slot, save: result.version) }
      }
    }
    uniqueness.apply(to: &state)
    state.nextKey = nextKey
    state.saves = result.version
  }
}
