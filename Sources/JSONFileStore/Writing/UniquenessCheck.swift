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

  private var overlays: [UniqueConstraint: Overlay] = [:]
  /// The constraints of each table that was asked about.
  private var constraints: [Int: [(constraint: UniqueConstraint, properties: [Int])]] = [:]

  /// Takes a stored row's values away, because it is deleted or changed.
  mutating func remove(
    _ key: Int64,
    table: Int,
    slot: Int,
    _ state: inout StoreState,
    map: TableMap,
    file: String
  ) throws {
    for (constraint, properties) in try prepared(table, &state, map: map, file: file) {
      guard let rows = state.tables[table].table,
        let unique = UniqueKey(properties.map { rows.columns[$0].cell(slot) }),
        state.uniqueRows[constraint]?[unique] == key
      else { continue }
      overlays[constraint, default: Overlay()].removed.insert(unique)
    }
    forget(key)
  }

  /// Takes away the values that a row got in this batch.
  mutating func forget(_ key: Int64) {
    for constraint in overlays.keys {
      guard let unique = overlays[constraint]?.keyOfRow.removeValue(forKey: key) else { continue }
      overlays[constraint]?.added[unique] = nil
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
    for (constraint, properties) in try prepared(table, &state, map: map, file: file) {
      guard let unique = UniqueKey(properties.map { cells[$0] }) else { continue }
      if let other = row(with: unique, constraint, state), other != key {
        throw Self.conflict(constraint, state.tables[table].entity, key, other)
      }
      overlays[constraint, default: Overlay()].added[unique] = key
      overlays[constraint, default: Overlay()].keyOfRow[key] = unique
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
    var rival: Int64?
    for (constraint, properties) in try prepared(table, &state, map: map, file: file) {
      guard let unique = UniqueKey(properties.map { cells[$0] }),
        let other = row(with: unique, constraint, state)
      else { continue }
      if let rival, rival != other {
        throw Self.conflict(constraint, state.tables[table].entity, rival, other)
      }
      rival = other
    }
    return rival
  }

  private func row(
    with unique: UniqueKey,
    _ constraint: UniqueConstraint,
    _ state: StoreState
  ) -> Int64? {
    if let overlay = overlays[constraint] {
      if let key = overlay.added[unique] { return key }
      if overlay.removed.contains(unique) { return nil }
    }
    return state.uniqueRows[constraint]?[unique]
  }

  /// The constraints of a table, with their stored rows looked up once for all.
  private mutating func prepared(
    _ table: Int,
    _ state: inout StoreState,
    map: TableMap,
    file: String
  ) throws -> [(constraint: UniqueConstraint, properties: [Int])] {
    if let known = constraints[table] { return known }
    let entity = state.tables[table].entity
    let found = UniqueConstraint.constraints(of: entity, in: map.schema).map { constraint in
      (constraint, constraint.properties.compactMap { entity.indexByName[$0] })
    }
    for (constraint, _) in found where state.uniqueRows[constraint] == nil {
      try state.indexUniqueRows(constraint, map: map, file: file)
    }
    constraints[table] = found
    return found
  }

  private static func conflict(
    _ constraint: UniqueConstraint,
    _ entity: StoreEntity,
    _ first: Int64,
    _ second: Int64
  ) -> DataStoreError {
    DataStoreError(
      .uniqueConflict,
      "the rows \(first) and \(second) have the same"
        + " \(constraint.properties.joined(separator: ", "))",
      entity: entity.name,
      property: constraint.properties.first
    )
  }

  /// Brings the stored rows' unique values to what they are after the batch.
  func apply(to state: inout StoreState) {
    for (constraint, overlay) in overlays {
      for unique in overlay.removed { state.uniqueRows[constraint]?[unique] = nil }
      for (unique, key) in overlay.added { state.uniqueRows[constraint]?[unique] = key }
    }
  }
}

extension StoreState {
  /// Makes the rows of a constraint findable by their values.
  mutating func indexUniqueRows(
    _ constraint: UniqueConstraint,
    map: TableMap,
    file: String
  ) throws {
    var rows: [UniqueKey: Int64] = [:]
    for index in try map.family(of: constraint.entity) {
      try load(index, file: file)
      guard let table = tables[index].table else { continue }
      let properties = constraint.properties.compactMap { table.entity.indexByName[$0] }
      rows.reserveCapacity(rows.count + table.count)
      for slot in 0..<table.slotCount where table.isAlive(slot) {
        guard let unique = UniqueKey(properties.map { table.columns[$0].cell(slot) }) else {
          continue
        }
        rows[unique] = table.keys[slot]
      }
    }
    uniqueRows[constraint] = rows
  }
}
