import StoreProtocol

/// The replacement of temporary numbers, in a separate value so that rows are changed in place.
struct TemporaryKeyReplacement {
  let values: IncomingValues
  /// The indices of the properties with references, by table.
  let references: [[Int]]
  /// Returns the permanent identifier of a new row, or other identifiers unchanged.
  let permanent: (PersistentIdentifier) -> PersistentIdentifier

  /// Replaces temporary numbers in the new rows of a table.
  func assignKeys(_ rows: inout Table?, of table: Int) {
    for property in references[table] {
      for slot in 0..<(rows?.slotCount ?? 0) {
        guard var cell = rows?.columns[property].cell(slot), isOpen(cell) else { continue }
        assignKeys(&cell)
        rows?.set(cell, at: property, slot: slot)
      }
    }
  }

  private func isOpen(_ cell: Cell) -> Bool {
    switch cell {
    case .integer(let key): key < 0
    case .keys(let keys): keys.contains { $0 < 0 }
    case .value: true
    case .null, .double, .string, .file: false
    }
  }

  func assignKeys(_ row: inout ChangePlan.Row) {
    for (index, property) in row.properties.enumerated()
    where references[row.table].contains(property) {
      assignKeys(&row.cells[index])
    }
  }

  private func assignKeys(_ cell: inout Cell) {
    if case .value(let value) = cell {
      cell = .value(value.deeplyMapping(permanent))
    } else {
      cell = values.withAssignedKeys(cell)
    }
  }
}
