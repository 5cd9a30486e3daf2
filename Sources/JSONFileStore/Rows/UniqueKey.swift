import StoreProtocol

/// The values of a row that no other has, equal as Swift has equality.
enum UniqueKey: Hashable, Sendable {
  case integer(Int64)
  case double(Double)
  case string(String)
  case value(StoreValue)
  indirect case several([UniqueKey])

  /// The key of a row's cells, or nil where one of them is null: null is equal to nothing.
  init?(_ cells: [Cell], at properties: [Int]) {
    if properties.count == 1 {
      self.init(cell: cells[properties[0]])
    } else {
      let parts = properties.compactMap { UniqueKey(cell: cells[$0]) }
      guard parts.count == properties.count, !parts.isEmpty else { return nil }
      self = .several(parts)
    }
  }

  /// The key of a stored row.
  init?(_ table: Table, _ slot: Int, at properties: [Int]) {
    if properties.count == 1 {
      self.init(cell: table.columns[properties[0]].cell(slot))
    } else {
      let parts = properties.compactMap { UniqueKey(cell: table.columns[$0].cell(slot)) }
      guard parts.count == properties.count, !parts.isEmpty else { return nil }
      self = .several(parts)
    }
  }

  private init?(cell: Cell) {
    switch cell {
    case .null, .file: return nil
    case .integer(let value): self = .integer(value)
    case .double(let value): self = .double(value)
    case .string(let text): self = .string(text)
    case .keys(let keys): self = .several(keys.map(UniqueKey.integer))
    case .value(let value): self = .value(value)
    }
  }
}
