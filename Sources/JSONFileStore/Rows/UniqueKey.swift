import StoreProtocol

/// The unique values of a row, with Swift's equality.
enum UniqueKey: Hashable, Sendable {
  case integer(Int64)
  case double(Double)
  case string(String)
  case value(StoreValue)
  indirect case several([UniqueKey])

  /// Creates the key of a row's cells, or returns `nil` if one of them is null, which equals
  /// nothing.
  init?(of properties: [Int], _ cell: (Int) -> Cell) {
    if properties.count == 1 {
      self.init(cell: cell(properties[0]))
    } else {
      let parts = properties.compactMap { UniqueKey(cell: cell($0)) }
      guard parts.count == properties.count, !parts.isEmpty else { return nil }
      self = .several(parts)
    }
  }

  private init?(cell: Cell) {
    switch cell {
    case .null, .file: return nil
    case .integer(let value): self = .integer(value)
    case .double(let value): self = .double(value)
    case .string(let text): self = .string(text.comparable)
    case .keys(let keys): self = .several(keys.map(UniqueKey.integer))
    case .value(let value): self = .value(value)
    }
  }
}
