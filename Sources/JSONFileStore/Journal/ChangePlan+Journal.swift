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
    if !inserted.isEmpty {
      printer.append(json: ",\"insert\":{")
      printer.append(groups: inserted.map { ($0.table, $0) }, formats) { printer, row in
        printer.append(key: row.key, cells: row.cells, as: formats[row.table])
      }
    }
    printer.append(UInt8(ascii: "}"))
    return printer.bytes
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
