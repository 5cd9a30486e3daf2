import StoreHelpers
import StoreProtocol

/// A batch of changes, checked against the stored rows and ready to be written and applied.
///
/// Creating a plan changes no row. Its content is the journal record, and applying it to the rows
/// in memory cannot fail.
struct ChangePlan {
  /// A changed row with the cells to write.
  struct Row {
    let table: Int
    let key: Int64
    /// The cells of the properties below.
    var cells: [Cell]
    /// The indices of the changed properties, ascending.
    var properties: [Int]
  }

  /// The location of a new row.
  struct InsertLocation {
    /// The index of its table.
    let table: Int
    /// Its slot among the new rows of that table.
    let slot: Int
  }

  private(set) var deleted: [(table: Int, key: Int64)] = []
  var updated: [Row] = []
  /// The new rows in columns, by table, to be appended to the stored ones; `nil` for none.
  var inserted: [Table?]
  var result = StoreChangesResult()
  var uniqueness: UniquenessCheck
  /// The rows that merged rows referred to before.
  var counterparts: [FormerCounterpart] = []
  /// The stored rows that new ones update, and the rows that lose their counterpart because of
  /// that.
  var merged: Set<Int64> = []
  var values: IncomingValues
  /// The converter with the keys as they were before the batch.
  let incoming: IncomingValues
  /// Whether rows of the batch can refer to others.
  let hasReferences: Bool
  /// The rows with references that no row of this store can have.
  var losing: Set<Int64> = []

  let map: TableMap
  let file: String
  private(set) var updatePositions: [Int64: Int] = [:]
  let givenKeys: [PersistentIdentifier: Int64]
  let firstNewKey: Int64
  let scopes: [PersistentIdentifier.Scope]

  /// Whether the plan has no changes.
  var isEmpty: Bool {
    deleted.isEmpty && updated.isEmpty && nextKey == firstNewKey
  }

  /// The key of the next new row after this batch.
  var nextKey: Int64 { values.nextKey }

  /// Checks a batch, and loads the rows that it needs into the state.
  ///
  /// The row that a new record becomes can depend on the rows that its related records become. Then
  /// the batch is repeated until the result equals the assumption.
  ///
  /// - Throws: `conflict` for a change of a missing row, `uniqueConflict`, `invalidValue`, or
  ///   `schemaMismatch` for an entity that the schema lacks.
  static func make(
    _ changes: StoreChanges,
    _ state: inout StoreState,
    map: TableMap,
    storeIdentifier: String,
    file: String
  ) throws -> ChangePlan {
    let hasReferences = try (changes.insertions + changes.updates).contains {
      try map.types[map.table(of: $0.entityName)].contains(where: TemporaryKeyReplacement.mayRefer)
    }
    // Where nothing refers to a row, no row is looked up by its temporary number.
    var assigned = TemporaryKeys(of: hasReferences ? changes.insertions : [])
    let count = changes.insertions.reduce(0) { $0 + $1.count }
    for _ in 0...count + 1 {
      let values = IncomingValues(
        storeIdentifier: storeIdentifier,
        keys: assigned,
        nextKey: state.nextKey
      )
      let plan = try ChangePlan(changes, values, hasReferences, &state, map: map, file: file)
      if (assigned.isEmpty && !plan.uniqueness.metNewReference) || plan.values.keys == assigned {
        return plan
      }
      assigned = plan.values.keys
    }
    throw DataStoreError.endlessMerges
  }

  private init(
    _ changes: StoreChanges,
    _ values: IncomingValues,
    _ hasReferences: Bool,
    _ state: inout StoreState,
    map: TableMap,
    file: String
  ) throws {
    self.map = map
    self.file = file
    self.values = values
    self.hasReferences = hasReferences
    incoming = values
    uniqueness = UniquenessCheck(map, file: file)
    scopes = state.tables.map(\.scope)
    firstNewKey = values.nextKey
    givenKeys = changes.keys
    inserted = Array(repeating: nil, count: state.tables.count)
    result.version = state.saves + 1
    for identifier in changes.deleted { try delete(identifier, &state) }
    for run in changes.updates {
      for change in run.updates { try update(change, &state) }
    }
    try uniqueness.checkUpdates(updated, &state)
    for run in changes.insertions { try insert(run, &state) }
    if let next = changes.nextKey { self.values.nextKey = max(nextKey, next) }
    assignReferences()
    try detachFormerCounterparts(&state)
  }

  private mutating func delete(
    _ identifier: PersistentIdentifier,
    _ state: inout StoreState
  ) throws {
    guard let (table, slot) = try state.find(identifier, in: map, file: file),
      let key = identifier.integerKey,
      !uniqueness.deleted.contains(key)
    else { return }
    deleted.append((table, key))
    try uniqueness.remove(key, table: table, slot: slot, &state)
    uniqueness.deleted.insert(key)
  }

  mutating func update(_ update: StoreUpdate, _ state: inout StoreState) throws {
    guard let (table, slot) = try state.find(update.identifier, in: map, file: file),
      let key = update.identifier.integerKey, !uniqueness.deleted.contains(key)
    else {
      throw DataStoreError(
        .conflict,
        "the row \(update.identifier) is no longer in the store",
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
      let cell = try values.cell(of: change.value, as: map.types[table][index], index, entity)
      if cell.lacksReferences(of: change.value) { losing.insert(key) }
      cells[index] = cell
    }
    if cells.isEmpty { return }
    try uniqueness.remove(key, table: table, slot: slot, &state)
    merge(cells, table: table, key: key)
  }

  /// Returns the index in a row's own entity of a property of another entity of its hierarchy.
  private func property(
    _ index: Int,
    of claimed: StoreEntity,
    in entity: StoreEntity
  ) throws -> Int {
    guard claimed.properties.indices.contains(index),
      let found = entity.indexByName[claimed.properties[index].name]
    else {
      throw DataStoreError(
        .invalidValue,
        "the change names a property that the row does not have",
        entity: entity.name
      )
    }
    return found
  }

  /// Records changed cells of a stored row, overriding earlier ones.
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

  /// Returns the table of a row of this batch or of the store.
  func table(of key: Int64, _ state: StoreState, near table: Int) -> Int? {
    if let location = insertLocation(of: key) { return location.table }
    let tables = (try? map.hierarchy(of: state.tables[table].entity.name)) ?? []
    return tables.first { state.tables[$0].table?.slot(of: key) != nil }
  }

  /// Converts a new record to a change of the row that has its unique values.
  mutating func mergeRecord(
    _ cells: [Cell],
    _ entity: StoreEntity,
    by key: Int64,
    _ state: inout StoreState
  ) throws {
    let near = try map.table(of: entity.name)
    guard let table = table(of: key, state, near: near) else { return }
    let target = state.tables[table].entity
    let shared = map.schema.sharedPropertyCount(of: target, and: entity)
    noteCounterparts(of: key, cells, entity, shared: shared, table: table, state)
    var changed: [Int: Cell] = [:]
    for (index, property) in entity.properties.prefix(shared).enumerated()
    where !property.isEphemeral {
      changed[index] =
        property.isToMany
        ? cell(index, of: key, table: table, state).joined(by: cells[index]) : cells[index]
    }
    try change(key, to: changed, table: table, &state)
  }

  /// Changes values of a row because of a new record, including its unique values.
  mutating func change(
    _ key: Int64,
    to changed: [Int: Cell],
    table: Int,
    _ state: inout StoreState
  ) throws {
    if let location = insertLocation(of: key) {
      return try change(key, at: location, to: changed, &state)
    }
    guard let slot = state.tables[table].table?.slot(of: key) else { return }
    try uniqueness.remove(key, table: table, slot: slot, &state)
    merge(changed, table: table, key: key)
    merged.insert(key)
    guard let position = updatePositions[key] else { return }
    try uniqueness.checkUpdates([updated[position]], &state)
  }

  /// Replaces temporary numbers by keys, after all keys are assigned.
  private mutating func assignReferences() {
    if values.keys.isEmpty { return }
    let settlement = TemporaryKeyReplacement(
      values: values,
      permanent: permanent,
      references: map.types.map { types in
        types.indices.filter { TemporaryKeyReplacement.mayRefer(types[$0]) }
      }
    )
    for row in updated.indices { settlement.assignKeys(&updated[row]) }
    for table in inserted.indices { settlement.assignKeys(&inserted[table], of: table) }
  }

  /// Returns the permanent identifier of a new row, or other identifiers unchanged.
  private func permanent(_ identifier: PersistentIdentifier) -> PersistentIdentifier {
    if let row = result.remapped[identifier] { return row }
    guard let key = identifier.temporaryNumber.flatMap({ values.keys[$0] }),
      let table = try? map.table(of: identifier.entityName)
    else { return identifier }
    return PersistentIdentifier(scope: scopes[table], key: .integer(key))
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
    for (table, rows) in inserted.enumerated() {
      guard let rows else { continue }
      state.withTable(table) { $0.append(rows, save: result.version) }
    }
    uniqueness.apply(to: &state)
    state.nextKey = nextKey
    state.saves = result.version
  }
}
