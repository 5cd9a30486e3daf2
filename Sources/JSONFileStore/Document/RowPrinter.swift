/// Prints the rows of one table directly from their memory.
struct RowPrinter: ~Copyable {
  private let table: Table
  private let rows: RowAccess
  private let format: RowFormat
  // The bytes before each value, in the printer's own memory, so that no access counts a reference.
  private let prefixes: UnsafeMutableBufferPointer<UnsafeBufferPointer<UInt8>>

  /// Creates a printer, for use while the rows are accessible.
  init(_ table: Table, _ rows: RowAccess, as format: RowFormat) {
    self.table = table
    self.rows = rows
    self.format = format
    prefixes = .allocate(capacity: format.fields.count)
    for (index, field) in format.fields.enumerated() {
      prefixes.initializeElement(at: index, to: field.prefix)
    }
  }

  deinit { prefixes.deallocate() }

  /// Appends a row without a line end: its key, then the properties that are not null.
  func print(_ slot: Int, to printer: inout JSONPrinter) {
    printer.append(json: "{\"$id\":")
    printer.append(rows.keys[slot])
    for index in prefixes.indices {
      let column = rows.columns[index]
      if column.isNull(slot) ?? table.columns[index].isNull(slot) { continue }
      printer.append(words: prefixes[index])
      switch column {
      case .integers(let values, _): printer.append(values[slot])
      case .doubles(let values, _): printer.append(number: values[slot])
      case .dates(let values, _): printer.append(date: values[slot])
      case .strings(let values, _): printer.append(values[slot])
      case .bools(let values, _): printer.append(values[slot] != 0)
      case .none: printer.append(table.columns[index].cell(slot), as: table.columns[index].type)
      }
    }
    printer.append(UInt8(ascii: "}"))
  }
}
