import StoreProtocol

/// What replaces temporary numbers; a value of its own, so that rows are changed in place.
struct Settlement {
  let values: IncomingValues
  let remapped: [PersistentIdentifier: PersistentIdentifier]
  /// The positions of the properties with references, by table.
  let references: [[Int]]

  static func mayRefer(_ type: CellType) -> Bool {
    type == .reference || type == .references || type == .codable
  }

  func settleAll(_ row: inout ChangePlan.Row) {
    for property in references[row.table] { settle(&row.cells[property]) }
  }

  func settleChanges(_ row: inout ChangePlan.Row) {
    for (index, property) in row.properties.enumerated()
    where references[row.table].contains(property) {
      settle(&row.cells[index])
    }
  }

  private func settle(_ cell: inout Cell) {
    if case .value(let value) = cell {
      cell = .value(value.deeplyRemapped(by: remapped))
    } else {
      cell = values.settled(cell)
    }
  }
}
