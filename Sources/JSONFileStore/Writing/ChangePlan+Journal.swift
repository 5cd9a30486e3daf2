import StoreProtocol

/// The text of a save in the journal, and its parser.
///
///     {"next":9,"delete":{"Trip":[3]},"update":{"Trip":[{"$id":5,"name":null}]},"insert":{…}}
extension ChangePlan {
  /// Returns the record of this batch.
  func record(_ formats: [RowFormat]) -> [UInt8] {
    var printer = JSONPrinter()
    printer.append(json: "{\"next\":")
    printer.append(nextKey)
    if let line {
      printer.append(json: ",\"history\":")
      printer.append(json: line.text)
    }
    for step in steps { printer.append(step) }
    if !deleted.isEmpty {
      printer.append(json: ",\"delete\":{")
      printer.append(deleted, by: { $0.table }, formats) { $0.append($1.key) }
    }
    if !updated.isEmpty {
      printer.append(json: ",\"update\":{")
      printer.append(updated, by: { $0.table }, formats) { printer, row in
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

  /// Returns whether the record is certainly larger than a number of bytes.
  ///
  /// - Complexity: O(*n*) in the number of values.
  func isLarger(than limit: Int, _ formats: [RowFormat]) -> Bool {
    var size = deleted.count * 2
    for row in updated {
      size += row.cells.reduce(0) { $0 + $1.leastSize }
      if size > limit { return true }
    }
    for (number, rows) in inserted.enumerated() {
      guard let rows else { continue }
      size += rows.keys.reduce(0) { $0 + Self.rowOverhead + $1.magnitude.digitCount }
      for (column, field) in zip(rows.columns, formats[number].fields) {
        size += column.leastSize(behind: field.prefix.count)
        if size > limit { return true }
      }
    }
    return size > limit
  }

  /// The number of bytes around the key and the values of a new row.
  private static let rowOverhead = "{\"$id\":},".utf8.count
}

extension Cell {
  /// A lower bound for the bytes of the value's text.
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
  /// Returns a lower bound for the bytes of all values' text, with a prefix before each.
  fileprivate func leastSize(behind prefix: Int) -> Int {
    let nulls = nulls
    let present = (0..<slotCount).lazy.filter { !nulls.contains($0) }
    return switch type {
    case .integer, .reference: present.reduce(0) { $0 + prefix + integer($1).magnitude.digitCount }
    case .double: present.reduce(0) { sum, _ in sum + prefix + 3 }
    case .date: present.reduce(0) { sum, _ in sum + prefix + 12 }
    case .string: present.reduce(0) { $0 + prefix + string($1).utf8.count + 2 }
    default: present.reduce(0) { $0 + prefix + cell($1).leastSize }
    }
  }
}

extension JSONPrinter {
  /// Appends items by table, preserving their order, and closes the object.
  fileprivate mutating func append<Item>(
    _ items: [Item],
    by table: (Item) -> Int,
    _ formats: [RowFormat],
    _ appendOne: (inout JSONPrinter, Item) -> Void
  ) {
    var items = items
    if !zip(items, items.dropFirst()).allSatisfy({ table($0) <= table($1) }) {
      items = items.enumerated().sorted {
        (table($0.element), $0.offset) < (table($1.element), $1.offset)
      }.map(\.element)
    }
    var last: Int?
    for item in items {
      let number = table(item)
      if number == last {
        append(UInt8(ascii: ","))
      } else {
        if last != nil { append(json: "],") }
        append(formats[number].entity.name)
        append(json: ":[")
        last = number
      }
      appendOne(&self, item)
    }
    append(json: "]}")
  }

  /// Appends the name of an entity with its new rows.
  fileprivate mutating func append(new rows: Table, as format: RowFormat) {
    append(format.entity.name)
    append(json: ":[")
    rows.withDirectAccess { columns in
      let row = RowPrinter(rows, columns, as: format)
      for slot in 0..<rows.slotCount {
        if slot > 0 { append(UInt8(ascii: ",")) }
        row.print(slot, to: &self)
      }
    }
    append(UInt8(ascii: "]"))
  }

  /// Appends the changed properties of a row, including null.
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
