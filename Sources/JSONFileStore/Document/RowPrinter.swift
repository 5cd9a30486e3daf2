/// Prints the rows of one table directly from their memory.
struct RowPrinter: ~Copyable {
  private let table: Table
  private let rows: RowAccess
  // The bytes before each value, padded to whole words in contiguous memory, and their locations.
  private let words: UnsafeMutableBufferPointer<UInt8>
  private let prefixes: UnsafeMutableBufferPointer<UnsafeBufferPointer<UInt8>>

  /// Creates a printer, for use while the rows are accessible.
  init(_ table: Table, _ rows: RowAccess, as format: RowFormat) {
    self.table = table
    self.rows = rows
    let sizes = format.fields.map { ($0.prefix.count + 7) / 8 * 8 }
    words = .allocate(capacity: sizes.reduce(0, +))
    words.initialize(repeating: 0)
    prefixes = .allocate(capacity: sizes.count)
    var start = 0
    for (index, field) in format.fields.enumerated() {
      for (offset, byte) in field.prefix.enumerated() { words[start + offset] = byte }
      let prefix = UnsafeBufferPointer(rebasing: words[start..<start + field.prefix.count])
      prefixes.initializeElement(at: index, to: prefix)
      start += sizes[index]
    }
  }

  deinit {
    words.deallocate()
    prefixes.deallocate()
  }

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
