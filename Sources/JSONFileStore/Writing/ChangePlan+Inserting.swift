import StoreHelpers
import StoreProtocol

/// The new rows of a batch.
extension ChangePlan {
  /// Adds the rows of a run, or merges them into the rows with their unique values.
  mutating func insert(_ run: RowRun, _ state: inout StoreState) throws {
    let table = try map.table(of: run.entityName)
    try state.load(table, file: file)
    let stored = state.tables[table]
    let constraints = map.tableConstraints[table]
    let producer = run.values(for: stored.entity)
    // Where unique values refer to rows, earlier rows of the batch are compared by their keys.
    let isByKey = constraints.contains { !$0.references.isEmpty }
    let writer = ColumnWriter(
      stored.entity,
      map.types[table],
      count: run.count,
      isByKey ? values : incoming
    )
    // Given keys need not follow each other.
    let needsNames = run.needsNames || !givenKeys.isEmpty
    let needsIdentifiers = needsNames || !constraints.isEmpty
    var keys: [Int64] = []
    keys.reserveCapacity(run.count)
    result.firstKeys.append(nextKey)
    for position in 0..<run.count {
      try writer.add(position, of: producer)
      let identifier = needsIdentifiers ? run.identifiers[position] : nil
      let given = identifier.flatMap { givenKeys[$0] }
      var key = given ?? nextKey
      var owner = table
      let cells = constraints.isEmpty ? [] : writer.lastRow
      if let identifier, !constraints.isEmpty,
        let rival = try uniqueness.claim(cells, for: key, table: table, &state)
      {
        writer.removeLastRow()
        append(writer, &keys, to: table, stored)
        try mergeRecord(cells, stored.entity, by: rival, &state)
        result.merged.insert(identifier)
        owner = self.table(of: rival, state, near: table) ?? table
        result.remapped[identifier] = state.identifier(rival, in: owner)
        key = rival
      } else {
        if given != nil { try skipKeys(to: key, of: run.entityName) }
        values.nextKey += 1
        keys.append(key)
        if needsNames, let identifier {
          result.remapped[identifier] = state.identifier(key, in: table)
        }
      }
      if !writer.lost.isEmpty {
        note(writer.lost, of: RowLocation(table: owner, key: key), stored.entity)
      }
      if values.keys != nil, let number = run.identifiers.temporaryNumber(at: position) {
        values.keys?.set(key, of: number)
      }
    }
    append(writer, &keys, to: table, stored)
  }

  /// Adds the rows of a writer, which begins again.
  private mutating func append(
    _ writer: ColumnWriter,
    _ keys: inout [Int64],
    to table: Int,
    _ stored: StoredTable
  ) {
    if keys.isEmpty { return }
    let rows = Table(
      entity: stored.entity,
      scope: stored.scope,
      keys: keys,
      columns: writer.takeColumns()
    )
    keys = []
    if inserted[table] == nil {
      inserted[table] = rows
    } else {
      inserted[table]?.append(rows, save: result.version)
    }
  }

  /// Skips keys, so that the next row gets the key from the batch.
  private mutating func skipKeys(to key: Int64, of entity: String) throws {
    try StoreNumbers.check(key, from: values.nextKey, of: entity)
    values.nextKey = key
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
    _ row: Row,
    at location: InsertLocation,
    _ state: inout StoreState
  ) throws {
    uniqueness.forget(row.key)
    let (table, slot) = (location.table, location.slot)
    for (property, cell) in zip(row.properties, row.cells) {
      inserted[table]?.set(cell, at: property, slot: slot)
    }
    let cells = inserted[table]?.cells(slot) ?? []
    try uniqueness.add(row.key, cells: cells, table: table, &state)
  }
}
