import StoreProtocol

/// Judges the unique values of the rows as they will be after a batch.
struct UniquenessCheck {
  /// What a batch does to the rows of one constraint.
  private struct Overlay {
    /// The values that stored rows give up.
    var removed: Set<UniqueKey> = []
    /// The rows that have values after the batch.
    var added: [UniqueKey: Int64] = [:]
    /// The values of the rows of the batch.
    var keyOfRow: [Int64: UniqueKey] = [:]
  }

  /// The rows that the batch deletes; references to them are equal to none.
  var deleted: Set<Int64> = []
  /// Whether values that are unique together refer to a row whose key was not known yet.
  private(set) var metNewReference = false
  /// What happens to the rows of each constraint, by its number.
  private var overlays: [Overlay] = []

  /// Takes a stored row's values away, because it is deleted or changed.
  mutating func remove(
    _ key: Int64,
    table: Int,
    slot: Int,
    _ state: inout StoreState,
    map: TableMap,
    file: String
  ) throws {
    for entry in try prepared(table, &state, map: map, file: file) {
      guard let rows = state.tables[table].table,
        let unique = UniqueKey(rows, slot, at: entry.properties),
        state.uniqueRows[entry.number]?[unique] == key
      else { continue }
      overlays[entry.number].removed.insert(unique)
    }
    forget(key)
  }

  /// Takes away the values that a row got in this batch.
  mutating func forget(_ key: Int64) {
    for constraint in overlays.indices where !overlays[constraint].keyOfRow.isEmpty {
      guard let unique = overlays[constraint].keyOfRow.removeValue(forKey: key) else { continue }
      overlays[constraint].added[unique] = nil
    }
  }

  /// Gives changed rows their new values, once all of them gave up their old ones.
  ///
  /// - Throws: `uniqueConflict` when another row has them.
  mutating func settleUpdates(
    _ rows: [ChangePlan.Row],
    _ state: inout StoreState,
    map: TableMap,
    file: String
  ) throws {
    for row in rows {
      let needed = try prepared(row.table, &state, map: map, file: file)
      guard !needed.isEmpty, let table = state.tables[row.table].table,
        let slot = table.slot(of: row.key)
      else { continue }
      var cells = table.cells(slot)
      for (property, cell) in zip(row.properties, row.cells) { cells[property] = cell }
      try add(row.key, cells: cells, table: row.table, &state, map: map, file: file)
    }
  }

  /// Gives a row its values.
  ///
  /// - Throws: `uniqueConflict` when another row has them.
  mutating func add(
    _ key: Int64,
    cells: [Cell],
    table: Int,
    _ state: inout StoreState,
    map: TableMap,
    file: String
  ) throws {
    for entry in try prepared(table, &state, map: map, file: file) {
      guard let unique = uniqueKey(cells, entry, state) else { continue }
      if let other = row(with: unique, entry.number, state), other != key {
        let constraint = map.constraints[entry.number]
        throw DataStoreError.uniqueConflict(
          between: identifier(of: key, near: table, state, map),
          and: identifier(of: other, near: table, state, map),
          over: constraint.properties,
          of: constraint.entity,
          file: file
        )
      }
      overlays[entry.number].added[unique] = key
      overlays[entry.number].keyOfRow[key] = unique
    }
  }

  /// The row that has the unique values of a new one, or nil.
  ///
  /// - Throws: `uniqueConflict` when two rows each have some of them.
  mutating func rival(
    of cells: [Cell],
    table: Int,
    _ state: inout StoreState,
    map: TableMap,
    file: String
  ) throws -> Int64? {
    var rival: (key: Int64, properties: [String])?
    for entry in try prepared(table, &state, map: map, file: file) {
      guard let unique = uniqueKey(cells, entry, state),
        let other = row(with: unique, entry.number, state)
      else { continue }
      let properties = map.constraints[entry.number].properties
      if let rival, rival.key != other {
        throw DataStoreError.uniqueConflict(
          ofNew: state.tables[table].entity.name,
          with: [rival, (key: other, properties: properties)].map { rival in
            (identifier(of: rival.key, near: table, state, map), rival.properties)
          },
          file: file
        )
      }
      rival = (other, properties)
    }
    return rival?.key
  }

  /// The unique values of a row, nil where one of them is none or leads to a row that is gone.
  private mutating func uniqueKey(
    _ cells: [Cell],
    _ constraint: TableConstraint,
    _ state: StoreState
  ) -> UniqueKey? {
    for (property, tables) in constraint.references {
      guard case .integer(let key) = cells[property] else { continue }
      if key < 0 {
        metNewReference = true
      } else if key < state.nextKey,
        deleted.contains(key) || !tables.contains(where: { state.hasRow(key, in: $0) })
      {
        return nil
      }
    }
    return UniqueKey(cells, at: constraint.properties)
  }

  private func row(with unique: UniqueKey, _ constraint: Int, _ state: StoreState) -> Int64? {
    if let key = overlays[constraint].added[unique] { return key }
    if overlays[constraint].removed.contains(unique) { return nil }
    return state.uniqueRows[constraint]?[unique]
  }

  /// The constraints of a table, with their stored rows looked up once for all.
  private mutating func prepared(
    _ table: Int,
    _ state: inout StoreState,
    map: TableMap,
    file: String
  ) throws -> [TableConstraint] {
    if overlays.isEmpty {
      overlays = Array(repeating: Overlay(), count: map.constraints.count)
      if state.uniqueRows.isEmpty {
        state.uniqueRows = Array(repeating: nil, count: map.constraints.count)
      }
    }
    for entry in map.tableConstraints[table] {
      for (_, tables) in entry.references {
        for table in tables { try state.load(table, file: file) }
      }
      if state.uniqueRows[entry.number] == nil {
        try state.indexUniqueRows(entry.number, map: map, file: file)
      }
    }
    return map.tableConstraints[table]
  }

  /// The identifier of a row of a hierarchy; a row of the batch counts as one of the given table.
  private func identifier(
    of key: Int64,
    near table: Int,
    _ state: StoreState,
    _ map: TableMap
  ) -> PersistentIdentifier {
    let tables = (try? map.hierarchy(of: state.tables[table].entity.name)) ?? []
    let own = tables.first { state.hasRow(key, in: $0) } ?? table
    return PersistentIdentifier(scope: state.tables[own].scope, key: .integer(key))
  }

  /// Brings the stored rows' unique values to what they are after the batch.
  func apply(to state: inout StoreState) {
    for (constraint, overlay) in overlays.enumerated() {
      for unique in overlay.removed { state.uniqueRows[constraint]?[unique] = nil }
      for (unique, key) in overlay.added { state.uniqueRows[constraint]?[unique] = key }
    }
  }
}

extension StoreState {
  /// Whether a table that was read has a row.
  func hasRow(_ key: Int64, in table: Int) -> Bool {
    guard case .rows(let rows) = tables[table].content else { return false }
    return rows.slot(of: key) != nil
  }

  /// Makes the rows of a constraint findable by their values.
  mutating func indexUniqueRows(
    _ number: Int,
    map: TableMap,
    file: String
  ) throws {
    let constraint = map.constraints[number]
    var rows: [UniqueKey: Int64] = [:]
    for index in try map.family(of: constraint.entity) {
      try load(index, file: file)
      guard let table = tables[index].table else { continue }
      let properties = constraint.properties.compactMap { table.entity.indexByName[$0] }
      rows.reserveCapacity(rows.count + table.count)
      for slot in 0..<table.slotCount where table.isAlive(slot) {
        guard let unique = UniqueKey(table, slot, at: properties) else {
          continue
        }
        rows[unique] = table.keys[slot]
      }
    }
    uniqueRows[number] = rows
  }
}
