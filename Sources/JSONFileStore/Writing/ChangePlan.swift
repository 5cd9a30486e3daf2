import StoreHelpers
import StoreProtocol

/// A batch of changes, checked against the stored rows and ready to be written and applied.
///
/// Creating a plan changes no row. Its content is the journal record, and applying it to the rows
/// in memory cannot fail: the save is stored when the record is, so that nothing may go wrong after
/// that.
struct ChangePlan {
  /// A changed row with the cells to write.
  struct Row {
    let table: Int
    let key: Int64
    /// The cells of the properties below.
    var cells: [Cell]
    /// The indices of the changed properties, ascending.
    var properties: [Int]

    /// Returns the value of a changed property, or `nil` for another property.
    func cell(of property: Int) -> Cell? {
      properties.firstIndex(of: property).map { cells[$0] }
    }

    /// Overrides the value of a property.
    mutating func set(_ cell: Cell, at property: Int) {
      let position = properties.partitioningIndex { $0 >= property }
      if position < properties.count, properties[position] == property {
        cells[position] = cell
      } else {
        properties.insert(property, at: position)
        cells.insert(cell, at: position)
      }
    }
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
  /// The check of unique values, once a change concerns them or deletes a row.
  private var uniquenessCheck: UniquenessCheck?
  /// The rows that merged rows referred to before.
  var counterparts: [FormerCounterpart] = []
  /// The stored rows that new ones update, and the rows that lose their counterpart because of
  /// that.
  var merged: Set<Int64> = []
  var values: IncomingValues
  /// The converter with the keys as they were before the batch.
  let incoming: IncomingValues
  /// Whether stored rows get other unique values.
  private var changesUniqueValues = false
  /// The references that no row of this store can have.
  var lost: [LostReference] = []
  /// The transaction of the save in the history, or `nil` if there is none.
  var line: HistoryLine?
  /// The other effects of the save on the history.
  var steps: [HistoryStep] = []

  let map: TableMap
  let file: String
  private(set) var updatePositions: [Int64: Int] = [:]
  let givenKeys: [PersistentIdentifier: Int64]
  let firstNewKey: Int64

  /// Whether the plan has no changes.
  var isEmpty: Bool {
    deleted.isEmpty && updated.isEmpty && nextKey == firstNewKey
  }

  /// The check of unique values.
  var uniqueness: UniquenessCheck {
    get { uniquenessCheck ?? UniquenessCheck(map, file: file) }
    _modify {
      var check = uniqueness
      // Without a second reference, which would copy its sets for each change.
      uniquenessCheck = nil
      defer { uniquenessCheck = check }
      yield &check
    }
  }

  /// The keys of the deleted rows.
  var deletedKeys: Set<Int64> { deleted.isEmpty ? [] : uniqueness.deleted }

  /// The key of the next new row after this batch.
  var nextKey: Int64 { values.nextKey }

  /// Checks a batch, and loads the rows that it needs into the state.
  ///
  /// - Throws: `conflict` for a change of a missing row, or of one with another version than expected,
  ///   `uniqueConflict`, `invalidValue`, or `schemaMismatch` for an entity that the schema lacks;
  ///   `notSaved` if a counter has reached its limit.
  static func make(
    _ changes: StoreChanges,
    _ state: inout StoreState,
    map: TableMap,
    storeIdentifier: String,
    file: String
  ) throws -> ChangePlan {
    if !changes.expectedVersions.isEmpty {
      try state.check(changes.expectedVersions, in: map, file: file)
    }
    var values = IncomingValues(
      storeIdentifier: storeIdentifier,
      file: file,
      nextKey: state.nextKey
    )
    // Where nothing refers to a row, no row is looked up by its temporary number.
    if try (changes.insertions + changes.updates).contains(where: {
      try !map.references[map.table(of: $0.entityName)].isEmpty
    }) {
      values.keys = TemporaryKeys(of: changes.insertions)
    }
    var plan = try ChangePlan(changes, values, &state, map: map, file: file)
    if values.keys != nil { try plan.settle(changes, values, &state) }
    if !changes.protectedReferences.isEmpty { try plan.checkReferences(changes, &state) }
    if !plan.result.merged.isEmpty { try changes.checkInsertions(plan.result, in: map.schema) }
    try StoreNumbers.check(plan.nextKey, of: "keys", file: file)
    try StoreNumbers.check(plan.result.version, of: "saves", file: file)
    return plan
  }

  /// Repeats a batch whose rows can refer to others, until it has the rows that it assumes.
  ///
  /// The row that a new record becomes can depend on the rows that its related records become.
  private mutating func settle(
    _ changes: StoreChanges,
    _ values: IncomingValues,
    _ state: inout StoreState
  ) throws {
    var assumed = values
    let count = changes.insertions.reduce(0) { $0 + $1.count }
    for _ in 0...count + 1 {
      let hasAssumed = assumed.keys?.isEmpty == false
      if !hasAssumed && !uniqueness.metNewReference || self.values.keys == assumed.keys {
        result.changedByStore = try rowsWithoutTargets(&state)
        return
      }
      assumed.keys = self.values.keys
      self = try ChangePlan(changes, assumed, &state, map: map, file: file)
    }
    throw DataStoreError.endlessMerges
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
    incoming = values
    firstNewKey = values.nextKey
    givenKeys = changes.keys
    inserted = Array(repeating: nil, count: state.tables.count)
    result.version = state.saves + 1
    for identifier in changes.deleted { try delete(identifier, &state) }
    for run in changes.updates { try update(run, &state) }
    if changesUniqueValues { try uniqueness.checkUpdates(updated, &state) }
    for run in changes.insertions { try insert(run, &state) }
    if let next = changes.nextKey { self.values.nextKey = max(nextKey, next) }
    if self.values.keys?.isEmpty == false { assignReferences(state) }
    if !counterparts.isEmpty { try detachFormerCounterparts(&state) }
  }

  private mutating func delete(
    _ identifier: PersistentIdentifier,
    _ state: inout StoreState
  ) throws {
    guard let (table, slot) = try state.find(identifier, in: map, file: file),
      let key = identifier.integerKey, !deletedKeys.contains(key)
    else { return }
    deleted.append((table, key))
    if !map.tableConstraints[table].isEmpty {
      try uniqueness.remove(key, table: table, slot: slot, &state)
    }
    uniqueness.deleted.insert(key)
  }

  /// Adds the changes of a run, whose values become cells one row after another.
  private mutating func update(_ run: RowRun, _ state: inout StoreState) throws {
    let claimed = try map.table(of: run.entityName)
    let entity = map.schema.entities[claimed]
    let changed = run.properties.sorted()
    guard zip(changed, changed.dropFirst()).allSatisfy(<),
      changed.allSatisfy(entity.properties.indices.contains)
    else { throw Self.wrongProperty(of: entity) }
    let (types, gone) = (map.types[claimed], deletedKeys)
    let producer = run.values(for: entity)
    let record = RecordWriter(entity, in: values.storeIdentifier)
    for position in 0..<run.count {
      let identifier = run.identifiers[position]
      guard let (table, slot) = try state.find(identifier, in: map, file: file),
        let key = identifier.integerKey, !gone.contains(key)
      else { throw missing(identifier) }
      let properties =
        try table == claimed
        ? changed : properties(changed, of: entity, in: map.schema.entities[table])
      record.read(position, of: producer)
      let cells = try changed.map { index in
        try values.cell(of: record.values[index], as: types[index], index, entity)
      }
      let row = Row(table: table, key: key, cells: cells, properties: properties)
      for index in changed where types[index].isRelationship {
        let lost = try values.lost(record.values[index], index, entity)
        note(lost, of: RowLocation(table: table, key: key), entity)
      }
      if properties.isEmpty { continue }
      if !map.uniqueProperties[table].isDisjoint(with: properties) {
        try uniqueness.remove(key, table: table, slot: slot, changing: properties, &state)
        changesUniqueValues = true
      }
      merge(row)
    }
  }

  private func missing(_ identifier: PersistentIdentifier) -> DataStoreError {
    DataStoreError(
      .conflict,
      "the row \(identifier) is no longer in the store",
      entity: identifier.entityName,
      file: file
    )
  }

  /// Returns the indices of properties in a row's own entity, another one of the hierarchy.
  private func properties(
    _ properties: [Int],
    of claimed: StoreEntity,
    in entity: StoreEntity
  ) throws -> [Int] {
    try properties.map { index in
      guard let own = entity.indexByName[claimed.properties[index].name] else {
        throw Self.wrongProperty(of: entity)
      }
      return own
    }
  }

  private static func wrongProperty(of entity: StoreEntity) -> DataStoreError {
    DataStoreError(
      .invalidValue,
      "the change names a property that the row does not have, or one property twice",
      entity: entity.name
    )
  }

  /// Records a changed stored row, overriding earlier changes of it.
  private mutating func merge(_ row: Row) {
    guard let position = updatePositions[row.key] else {
      updatePositions[row.key] = updated.count
      return updated.append(row)
    }
    for (property, cell) in zip(row.properties, row.cells) {
      updated[position].set(cell, at: property)
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
    let row = Row(
      table: table,
      key: key,
      cells: (0..<shared).map { index in
        entity.properties[index].isToMany
          ? cell(index, of: key, table: table, state).joined(by: cells[index]) : cells[index]
      },
      properties: Array(0..<shared)
    )
    try change(row, &state)
  }

  /// Changes values of a row because of a new record, including its unique values.
  mutating func change(_ row: Row, _ state: inout StoreState) throws {
    if let location = insertLocation(of: row.key) { return try change(row, at: location, &state) }
    guard let slot = state.tables[row.table].table?.slot(of: row.key) else { return }
    uniqueness.forget(row.key)
    try uniqueness.remove(
      row.key,
      table: row.table,
      slot: slot,
      changing: row.properties,
      &state
    )
    merge(row)
    merged.insert(row.key)
    guard let position = updatePositions[row.key] else { return }
    try uniqueness.checkUpdates([updated[position]], &state)
  }

  /// Replaces temporary numbers by keys, after all keys are assigned.
  private mutating func assignReferences(_ state: StoreState) {
    let (remapped, values, map) = (result.remapped, values, map)
    let settlement = TemporaryKeyReplacement(values: values, references: map.references) {
      // The permanent identifier of a new row; other identifiers stay as they are.
      if let row = remapped[$0] { return row }
      guard let key = $0.temporaryNumber.flatMap({ values.keys?[$0] }),
        let table = try? map.table(of: $0.entityName)
      else { return $0 }
      return state.identifier(key, in: table)
    }
    for row in updated.indices { settlement.assignKeys(&updated[row]) }
    for table in inserted.indices { settlement.assignKeys(&inserted[table], of: table) }
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
    uniquenessCheck?.apply(to: &state)
    if let line { state.history.append(line) }
    for step in steps { step.apply(to: &state.history) }
    state.nextKey = nextKey
    state.saves = result.version
  }
}
