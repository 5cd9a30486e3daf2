import StoreProtocol

/// The text of a save in the journal, and its way back.
///
///     {"next":9,"delete":{"Trip":[3]},"update":{"Trip":[{"$id":5,"name":null}]},"insert":{…}}
extension ChangePlan {
  /// The record of this batch.
  func record(_ formats: [RowFormat], _ history: HistoryStep) -> [UInt8] {
    var printer = JSONPrinter()
    printer.append(json: "{\"next\":")
    printer.append(nextKey)
    printer.append(history)
    if !deleted.isEmpty {
      printer.append(json: ",\"delete\":{")
      printer.append(groups: deleted.map { ($0.table, $0.key) }, formats) { printer, key in
        printer.append(key)
      }
    }
    if !updated.isEmpty {
      printer.append(json: ",\"update\":{")
      printer.append(groups: updated.map { ($0.table, $0) }, formats) { printer, row in
        printer.append(changes: row, as: formats[row.table])
      }
    }
    let newRows = inserted.indices.filter { inserted[$0] != nil }
    if !newRows.isEmpty {
      printer.append(json: ",\"insert\":{")
      for (number, table) in newRows.enumerated() {
        if number > 0 { printer.append(UInt8(ascii: ",")) }
        if let rows = inserted[table] { printer.append(new: rows, as: formats[table]) }
      }
      printer.append(UInt8(ascii: "}"))
    }
    printer.append(UInt8(ascii: "}"))
    return printer.bytes
  }

  /// Whether the record is certain to be larger than a number of bytes.
  ///
  /// - Complexity: O(*n*) in the number of bytes.
  func isLarger(than limit: Int, _ formats: [RowFormat]) -> Bool {
    var size = deleted.count * 2
    for row in updated {
      size += row.cells.reduce(0) { $0 + $1.leastSize }
      if size > limit { return true }
    }
    for (number, rows) in inserted.enumerated() {
      guard let rows else { continue }
      let names = formats[number].fields.map(\.prefix.count)
      for slot in 0..<rows.slotCount {
        for (column, name) in zip(rows.columns, names) {
          let least = column.leastSize(slot)
          if least > 0 { size += name + least }
        }
        if size > limit { return true }
      }
    }
    return size > limit
  }

  /// Makes sure that values are not nested deeper than can be read again.
  ///
  /// - Throws: `invalidValue`.
  func checkDepths(file: String) throws {
    for row in updated {
      for (property, cell) in zip(row.properties, row.cells)
      where map.types[row.table][property] == .codable {
        try check(cell, file: file)
      }
    }
    for (number, rows) in inserted.enumerated() {
      guard let rows else { continue }
      for (property, type) in map.types[number].enumerated() where type == .codable {
        for slot in 0..<rows.slotCount { try check(rows.columns[property].cell(slot), file: file) }
      }
    }
  }

  private func check(_ cell: Cell, file: String) throws {
    guard case .value(let value) = cell, value.isNested else { return }
    var printer = JSONPrinter()
    // As deep as values stand in a record and in a document.
    printer.append(json: "[[[[")
    printer.append(cell, as: .codable)
    printer.append(json: "]]]]")
    try printer.withBytes { bytes in
      do throws(JSONError) {
        var scanner = JSONScanner(bytes)
        try scanner.skipValue()
      } catch {
        throw DataStoreError(
          .invalidValue,
          "a value is nested deeper than \(DocumentFormat.deepestValue) levels",
          file: file,
          cause: error
        )
      }
    }
  }
}

extension StoreValue {
  fileprivate var isNested: Bool {
    switch self {
    case .array, .composite: true
    default: false
    }
  }
}

extension Cell {
  /// A number of bytes that the text of the value is not smaller than.
  fileprivate var leastSize: Int {
    switch self {
    case .string(let text): text.utf8.count + 2
    case .value(.data(let data)): data.count
    case .keys(let keys): keys.count * 2
    default: 1
    }
  }
}

extension Column {
  /// A number of bytes that the text of a row's value is not smaller than, 0 for null.
  fileprivate func leastSize(_ slot: Int) -> Int {
    if isNull(slot) { return 0 }
    switch type {
    case .bool, .integer, .reference, .double: return 1
    case .date: return 2
    case .string: return string(slot).utf8.count + 2
    default: return cell(slot).leastSize
    }
  }
}

extension JSONPrinter {
  /// Appends items by entity, in their order, and closes the object.
  fileprivate mutating func append<Item>(
    groups items: [(table: Int, item: Item)],
    _ formats: [RowFormat],
    _ appendOne: (inout JSONPrinter, Item) -> Void
  ) {
    let groups = Dictionary(grouping: items, by: \.table).sorted { $0.key < $1.key }
    for (number, group) in groups.enumerated() {
      if number > 0 { append(UInt8(ascii: ",")) }
      append(formats[group.key].entity.name)
      append(json: ":[")
      for (index, entry) in group.value.enumerated() {
        if index > 0 { append(UInt8(ascii: ",")) }
        appendOne(&self, entry.item)
      }
      append(UInt8(ascii: "]"))
    }
    append(UInt8(ascii: "}"))
  }

  /// Appends the name of an entity with its new rows.
  fileprivate mutating func append(new rows: Table, as format: RowFormat) {
    append(format.entity.name)
    append(json: ":[")
    for slot in 0..<rows.slotCount {
      if slot > 0 { append(UInt8(ascii: ",")) }
      append(rows, slot, as: format)
    }
    append(UInt8(ascii: "]"))
  }

  /// Appends the changed properties of a row, null included.
  fileprivate mutating func append(changes row: ChangePlan.Row, as format: RowFormat) {
    append(json: "{\"$id\":")
    append(row.key)
    for (property, cell) in zip(row.properties, row.cells) {
      append(json: format.fields[property].prefix)
      append(cell, as: format.fields[property].type)
    }
    append(UInt8(ascii: "}"))
  }
}
