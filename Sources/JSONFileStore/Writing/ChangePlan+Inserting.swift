import StoreHelpers
import StoreProtocol

/// The new rows of a batch.
extension ChangePlan {
  mutating func insert(
    _ record: DefaultSnapshot,
    _ state: inout StoreState
  ) throws {
    let identifier = record.persistentIdentifier
    let table = try map.table(of: identifier.entityName)
    try state.load(table, file: file)
    var owner = table
    let key: Int64
    let cells = try cells(of: record, state.tables[table].entity, map.types[table])
    if let rival = try uniqueness.rival(of: cells, table: table, &state) {
      try mergeRecord(cells, state.tables[table].entity, by: rival, &state)
      result.merged.insert(identifier)
      owner = self.table(of: rival, state, near: table) ?? table
      key = rival
    } else {
      if let given = givenKeys[identifier] {
        try skipKeys(to: given, of: identifier.entityName)
      }
      key = append(cells, to: table, state.tables[table])
      try uniqueness.add(key, cells: cells, table: table, &state)
    }
    if let number = identifier.temporaryNumber { values.keys.set(key, of: number) }
    result.remapped[identifier] = PersistentIdentifier(scope: scopes[owner], key: .integer(key))
  }

  /// Adds a new row, and returns its key.
  private mutating func append(_ cells: [Cell], to table: Int, _ stored: StoredTable) -> Int64 {
    if inserted[table] == nil {
      inserted[table] = Table(entity: stored.entity, scope: stored.scope)
    }
    let key = values.nextKey
    values.nextKey += 1
    inserted[table]?.append(key: key, cells: cells)
    return key
  }

  /// Skips keys, so that the next row gets the key from the batch.
  private mutating func skipKeys(to key: Int64, of entity: String) throws {
    try StoreNumbers.check(key, from: values.nextKey, of: entity)
    values.nextKey = key
  }

  private func cells(
    of record: DefaultSnapshot,
    _ entity: StoreEntity,
    _ types: [CellType]
  ) throws -> [Cell] {
    let isAligned = record.isAligned(to: entity)
    var cells: [Cell] = []
    cells.reserveCapacity(types.count)
    for index in types.indices {
      let value = isAligned ? record.values[index] : record[entity.properties[index].name]
      cells.append(try values.cell(of: value ?? .null, as: types[index], index, entity))
    }
    return cells
  }

  /// Returns the location of a row of this batch, or `nil` for other rows.
  func insertLocation(of key: Int64) -> InsertLocation? {
    guard key >= firstNewKey else { return nil }
    for (table, rows) in inserted.enumerated() {
      if let slot = rows?.slot(of: key) { return InsertLocation(table: table, slot: slot) }
    }
    return nil
  }

  /// Returns a value of a new row.
  func insertedCell(_ property: Int, at location: InsertLocation) -> Cell {
    inserted[location.table]?.columns[property].cell(location.slot) ?? .null
  }

  /// Changes values of a new row, including its unique values.
  mutating func change(
    _ key: Int64,
    at location: InsertLocation,
    to changed: [Int: Cell],
    _ state: inout StoreState
  ) throws {
    uniqueness.forget(key)
    let (table, slot) = (location.table, location.slot)
    for (index, cell) in changed { inserted[table]?.set(cell, at: index, slot: slot) }
    let cells = inserted[table]?.cells(slot) ?? []
    try uniqueness.add(key, cells: cells, table: table, &state)
  }
}
