import StoreHelpers
import StoreProtocol

extension ChangePlan {
  /// Throws if the batch would take related rows away from rows by relationships that it protects; the
  /// rows are still unchanged.
  ///
  /// - Throws: `conflict` with the rows.
  func checkReferences(_ changes: StoreChanges, _ state: inout StoreState) throws {
    guard let protection = ReferenceProtection(changes, map.schema) else { return }
    let losing = try losingRows(&state, trustsInverses: false) {
      protection.protects($1.name, of: $0.name)
    }
    var rows: [String: [PersistentIdentifier]] = [:]
    for (location, properties) in losing.sorted(by: { $0.key.key < $1.key.key }) {
      let row = state.identifier(location.key, in: location.table)
      for property in properties {
        rows[map.schema.entities[location.table].properties[property].name, default: []].append(row)
      }
    }
    // One check examines the whole batch.
    for (name, rows) in rows.sorted(by: { $0.key < $1.key }) {
      try protection.check(rows, referringBy: name)
    }
    try checkTargets(protection, &state)
  }

  /// Throws if the batch relates a row to a row that does not exist.
  private func checkTargets(
    _ protection: ReferenceProtection,
    _ state: inout StoreState
  ) throws {
    for (table, entity) in map.schema.entities.enumerated() {
      for (index, property) in entity.properties.enumerated()
      where property.isToOne && protection.protects(property.name, of: entity.name) {
        let reference = StoreReference(property.name, of: entity.name)
        let missing =
          try lost.first { $0.reference == reference }?.target
          ?? keys(in: table, by: index).first { try !hasTarget($0, table, index, &state) }
          .map(PersistentIdentifier.Key.integer)
        guard let missing, let destination = property.relationship?.destination else { continue }
        let row = PersistentIdentifier(missing, of: destination, in: values.storeIdentifier)
        throw DataStoreError.missingTargets([row], of: reference)
      }
    }
  }

  /// Returns the keys to which new and changed rows of a table refer by a to-one relationship.
  private func keys(in table: Int, by property: Int) -> [Int64] {
    var cells = updated.compactMap { $0.table == table ? $0.cell(of: property) : nil }
    if let rows = inserted[table] {
      cells += (0..<rows.slotCount).map { rows.columns[property].cell($0) }
    }
    return cells.compactMap { if case .integer(let key) = $0 { key } else { nil } }
  }

  /// Returns whether the row exists to which a row of the batch refers.
  private func hasTarget(
    _ key: Int64,
    _ table: Int,
    _ property: Int,
    _ state: inout StoreState
  ) throws -> Bool {
    if key >= firstNewKey { return true }
    let tables = map.destinations[table][property]
    for table in tables { try state.load(table, file: file) }
    return !deletedKeys.contains(key) && tables.contains { state.hasRow(key, in: $0) }
  }

  /// A reference that no row of this store can have.
  struct LostReference {
    let row: RowLocation
    let reference: StoreReference
    let target: PersistentIdentifier.Key
  }

  /// Records the references of a row that no row of this store can have.
  mutating func note(
    _ references: [(property: Int, target: PersistentIdentifier.Key)],
    of row: RowLocation,
    _ entity: StoreEntity
  ) {
    for (property, target) in references {
      let reference = StoreReference(entity.properties[property].name, of: entity.name)
      lost.append(LostReference(row: row, reference: reference, target: target))
    }
  }

  /// Returns the rows of the batch that refer to rows that do not exist, which read as nil.
  ///
  /// - Throws: Errors of reading the document.
  func rowsWithoutTargets(_ state: inout StoreState) throws -> [PersistentIdentifier] {
    var found = Set(lost.map(\.row))
    func note(_ cell: Cell, _ property: Int, _ location: RowLocation) throws {
      let keys: [Int64] =
        switch (map.types[location.table][property], cell) {
        case (.reference, .integer(let key)): [key]
        case (.references, .keys(let keys)): keys
        default: []
        }
      for key in keys where try !hasTarget(key, location.table, property, &state) {
        found.insert(location)
      }
    }
    for (table, rows) in inserted.enumerated() {
      guard let rows else { continue }
      for property in map.types[table].indices
      where [.reference, .references].contains(map.types[table][property]) {
        for slot in 0..<rows.slotCount {
          try note(
            rows.columns[property].cell(slot),
            property,
            RowLocation(table: table, key: rows.keys[slot])
          )
        }
      }
    }
    for row in updated {
      let location = RowLocation(table: row.table, key: row.key)
      for (property, cell) in zip(row.properties, row.cells) { try note(cell, property, location) }
    }
    return found.sorted { $0.key > $1.key }.map { state.identifier($0.key, in: $0.table) }
  }
}
