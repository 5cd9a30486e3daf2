import StoreProtocol

/// The rows of a result, in its order.
enum FoundRows {
  /// Rows of one table, which need no separate values.
  case slots([Int32], of: LoadedTable)
  /// Rows of any tables.
  case rows([StoredRow])

  func rows(in view: ReadView) -> [StoredRow] {
    switch self {
    case .slots(let slots, let source):
      slots.map { StoredRow(view: view, source: source, slot: Int($0)) }
    case .rows(let rows): rows
    }
  }

  var identifiers: [PersistentIdentifier] {
    switch self {
    case .slots(let slots, let source): slots.map { source.table.identifier(Int($0)) }
    case .rows(let rows): rows.map(\.identifier)
    }
  }

  /// Moves a reader from row to row.
  func read(with reader: StoredRowReader, _ body: (RowReader) throws -> Void) throws {
    switch self {
    case .slots(let slots, let source):
      let keys = source.table.keys
      try reader.withDirectAccess(to: source) {
        for start in stride(from: 0, to: slots.count, by: Self.stretch) {
          let part = slots[start..<min(start + Self.stretch, slots.count)]
          reader.keysToPrefetch.removeAll(keepingCapacity: true)
          if Self.jumps(part) { for slot in part { reader.keysToPrefetch.append(keys[Int(slot)]) } }
          for slot in part {
            reader.move(to: Int(slot), key: keys[Int(slot)])
            try body(reader)
          }
        }
      }
    case .rows(let rows):
      for row in rows {
        reader.enter(row.source)
        reader.move(to: row.slot, key: row.source.table.keys[row.slot])
        try body(reader)
      }
    }
  }

  /// The number of rows that are announced at a time: as many as easily fit into the processor's
  /// first-level cache.
  private static let stretch = 64

  /// Returns whether the slots are not consecutive.
  private static func jumps(_ slots: ArraySlice<Int32>) -> Bool {
    guard let first = slots.first, let last = slots.last else { return false }
    return Int(last) - Int(first) != slots.count - 1
  }

  /// Returns the rows in a query's window.
  func windowed(by query: StoreQuery) -> FoundRows {
    guard query.offset > 0 || query.limit != nil else { return self }
    return switch self {
    case .slots(let slots, let source): .slots(Self.window(slots, query), of: source)
    case .rows(let rows): .rows(Self.window(rows, query))
    }
  }

  private static func window<Row>(_ rows: [Row], _ query: StoreQuery) -> [Row] {
    let rest = rows.dropFirst(max(query.offset, 0))
    return Array(query.limit.map { rest.prefix(max($0, 0)) } ?? rest)
  }
}
