import StoreHelpers
import StoreProtocol

/// Checks the unique values of the rows after a batch.
struct UniquenessCheck {
  /// The effect of a batch on the rows of one constraint.
  private struct Overlay {
    /// The values that stored rows lose.
    var removed: Set<UniqueKey> = []
    /// The rows that gain values.
    private(set) var added: [UniqueKey: Int64] = [:]
    /// The values of these rows, or `nil` until the first one loses them again.
    private var uniqueOfRow: [Int64: UniqueKey]?

    mutating func assign(_ unique: UniqueKey, to key: Int64) {
      added[unique] = key
      uniqueOfRow?[key] = unique
    }

    /// Releases the values that a row got.
    mutating func release(_ key: Int64) {
      if added.isEmpty { return }
      uniqueOfRow = uniqueOfRow ?? Dictionary(lastOf: added.map { ($1, $0) })
      if let unique = uniqueOfRow?.removeValue(forKey: key) { added[unique] = nil }
    }
  }

  private let map: TableMap
  private let file: String
  /// The rows that the batch deletes; references to them equal nothing.
  var deleted: Set<Int64> = []
  /// Whether unique values refer to a row whose key was not assigned yet.
  private(set) var metNewReference = false
  /// The effect on the rows of each constraint, by its number.
  private var overlays: [Overlay] = []

  /// Creates a check of a batch without rows.
  ///
  /// - Parameters:
  ///   - map: The indices of the tables.
  ///   - file: The path of the document, for errors.
  init(_ map: TableMap, file: String) {
    self.map = map
    self.file = file
  }

  /// Releases a stored row's values, because it is deleted or some properties change.
  mutating func remove(
    _ key: Int64,
    table: Int,
    slot: Int,
    changing properties: [Int]? = nil,
    _ state: inout StoreState
  ) throws {
    for entry in try prepared(table, changing: properties, &state) {
      guard let rows = state.tables[table].table,
        let unique = UniqueKey(of: entry.properties, { rows.columns[$0].cell(slot) }),
        state.uniqueRows[entry.number]?[unique] == key
      else { continue }
      overlays[entry.number].removed.insert(unique)
    }
  }

  /// Releases the values that a row got in this batch.
  mutating func forget(_ key: Int64) {
    for constraint in overlays.indices { overlays[constraint].release(key) }
  }

  /// Assigns new values to changed rows, after all of them released their old ones.
  ///
  /// - Throws: `uniqueConflict` if another row has them.
  mutating func checkUpdates(
    _ rows: [ChangePlan.Row],
    _ state: inout StoreState
  ) throws {
    for row in rows where !map.uniqueProperties[row.table].isDisjoint(with: row.properties) {
      guard let table = state.tables[row.table].table, let slot = table.slot(of: row.key) else {
        continue
      }
      var cells = table.cells(slot)
      for (property, cell) in zip(row.properties, row.cells) { cells[property] = cell }
      try add(row.key, cells: cells, table: row.table, changing: row.properties, &state)
    }
  }

  /// Assigns a row's values.
  ///
  /// - Throws: `uniqueConflict` if another row has them.
  mutating func add(
    _ key: Int64,
    cells: [Cell],
    table: Int,
    changing properties: [Int]? = nil,
    _ state: inout StoreState
  ) throws {
    for entry in try prepared(table, changing: properties, &state) {
      guard let unique = uniqueKey(cells, entry, state) else { continue }
      if let other = row(with: unique, entry.number, state), other != key {
        let constraint = map.constraints[entry.number]
        throw DataStoreError.uniqueConflict(
          between: identifier(of: key, near: table, state),
          and: identifier(of: other, near: table, state),
          over: constraint.properties,
          of: constraint.entity,
          file: file
        )
      }
      overlays[entry.number].assign(unique, to: key)
    }
  }

  /// Assigns the values of a new row, or returns the row that already has some of them.
  ///
  /// - Throws: `uniqueConflict` if two rows each have some of them.
  mutating func claim(
    _ cells: [Cell],
    for key: Int64,
    table: Int,
    _ state: inout StoreState
  ) throws -> Int64? {
    var rival: (key: Int64, properties: [String])?
    var claimed: [(constraint: Int, unique: UniqueKey)] = []
    for entry in try prepared(table, &state) {
      guard let unique = uniqueKey(cells, entry, state) else { continue }
      claimed.append((entry.number, unique))
      guard let other = row(with: unique, entry.number, state) else { continue }
      let properties = map.constraints[entry.number].properties
      if let rival, rival.key != other {
        throw DataStoreError.uniqueConflict(
          ofNew: state.tables[table].entity.name,
          with: [rival, (key: other, properties: properties)].map { rival in
            (identifier(of: rival.key, near: table, state), rival.properties)
          },
          file: file
        )
      }
      rival = (other, properties)
    }
    if let rival { return rival.key }
    for (constraint, unique) in claimed { overlays[constraint].assign(unique, to: key) }
    return nil
  }

  /// Returns the unique values of a row, or `nil` if one of them is null or refers to a deleted
  /// row.
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
    return UniqueKey(of: constraint.properties) { cells[$0] }
  }

  private func row(with unique: UniqueKey, _ constraint: Int, _ state: StoreState) -> Int64? {
    if let key = overlays[constraint].added[unique] { return key }
    if overlays[constraint].removed.contains(unique) { return nil }
    return state.uniqueRows[constraint]?[unique]
  }

  /// Returns the constraints of a table that contain one of some properties, or all of them, and
  /// indexes their stored rows once.
  private mutating func prepared(
    _ table: Int,
    changing properties: [Int]? = nil,
    _ state: inout StoreState
  ) throws -> [TableConstraint] {
    if overlays.isEmpty {
      overlays = Array(repeating: Overlay(), count: map.constraints.count)
      if state.uniqueRows.isEmpty {
        state.uniqueRows = Array(repeating: nil, count: map.constraints.count)
      }
    }
    var constraints = map.tableConstraints[table]
    if let properties {
      constraints.removeAll { !$0.properties.contains(where: properties.contains) }
    }
    for entry in constraints {
      for (_, tables) in entry.references {
        for table in tables { try state.load(table, file: file) }
      }
      if state.uniqueRows[entry.number] == nil {
        try state.indexUniqueRows(entry.number, map: map, file: file)
      }
    }
    return constraints
  }

  /// Returns the identifier of a row of a hierarchy; a row of the batch is considered one of the
  /// given table.
  private func identifier(
    of key: Int64,
    near table: Int,
    _ state: StoreState
  ) -> PersistentIdentifier {
    let tables = (try? map.hierarchy(of: state.tables[table].entity.name)) ?? []
    let own = tables.first { state.hasRow(key, in: $0) } ?? table
    return state.identifier(key, in: own)
  }

  /// Updates the stored rows' unique values to those after the batch.
  func apply(to state: inout StoreState) {
    for (constraint, overlay) in overlays.enumerated() {
      for unique in overlay.removed { state.uniqueRows[constraint]?[unique] = nil }
      if state.uniqueRows[constraint]?.isEmpty == true {
        state.uniqueRows[constraint] = overlay.added
      } else {
        for (unique, key) in overlay.added { state.uniqueRows[constraint]?[unique] = key }
      }
    }
  }
}

extension StoreState {
  /// Returns whether a loaded table contains a row.
  func hasRow(_ key: Int64, in table: Int) -> Bool {
    guard case .rows(let rows) = tables[table].content else { return false }
    return rows.slot(of: key) != nil
  }

  /// Throws if two rows have the same unique values, as after an edit by hand.
  ///
  /// The indexes of rows that are already read are kept for the first save. Others are read once
  /// more for the check, unless the document is large or they are malformed: reading them throws
  /// then. Unique references are not checked, since one to a deleted row equals nothing.
  ///
  /// - Throws: ``DataStoreError/storeDamaged`` with both rows.
  mutating func checkUniqueRows(_ map: TableMap, file: String) throws {
    uniqueRows = Array(repeating: nil, count: map.constraints.count)
    var read = self
    if source.count <= DocumentContents.earlyReadingLimit {
      for table in tables.indices where !map.tableConstraints[table].isEmpty {
        try? read.load(table, file: file)
      }
    }
    for (number, constraint) in map.constraints.enumerated() {
      let family = try map.family(of: constraint.entity)
      let isComparable = family.allSatisfy { table in
        !read.tables[table].isText
          && map.tableConstraints[table].allSatisfy { $0.number != number || $0.references.isEmpty }
      }
      guard isComparable else { continue }
      try read.indexUniqueRows(number, map: map, file: file, refusesDuplicates: true)
      if family.contains(where: { tables[$0].isText }) { continue }
      uniqueRows[number] = read.uniqueRows[number]
    }
  }

  /// Indexes the rows of a constraint by their values.
  mutating func indexUniqueRows(
    _ number: Int,
    map: TableMap,
    file: String,
    refusesDuplicates: Bool = false
  ) throws {
    let constraint = map.constraints[number]
    var rows: [UniqueKey: Int64] = [:]
    for index in try map.family(of: constraint.entity) {
      try load(index, file: file)
      guard let table = tables[index].table else { continue }
      let properties = constraint.properties.compactMap { table.entity.indexByName[$0] }
      rows.reserveCapacity(rows.count + table.count)
      for slot in 0..<table.slotCount where table.isAlive(slot) {
        guard let unique = UniqueKey(of: properties, { table.columns[$0].cell(slot) }) else {
          continue
        }
        let rival = rows.updateValue(table.keys[slot], forKey: unique)
        if let rival, refusesDuplicates {
          throw Self.duplicate(rival, table.keys[slot], constraint, file)
        }
      }
    }
    uniqueRows[number] = rows
  }

  private static func duplicate(
    _ first: Int64,
    _ second: Int64,
    _ constraint: StoreConstraint,
    _ file: String
  ) -> DataStoreError {
    let names = constraint.properties.joined(separator: ", ")
    return DataStoreError(
      .storeDamaged,
      "the rows \(first) and \(second) have the same unique \(names); change or remove one of them in "
        + "the document ('storectl verify' lists all)",
      entity: constraint.entity,
      property: constraint.properties.count == 1 ? names : nil,
      file: file
    )
  }
}
