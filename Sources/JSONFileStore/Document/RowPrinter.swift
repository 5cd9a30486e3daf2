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
      switch rows.columns[index] {
      case .integers(let values, let nulls):
        guard ColumnAccess.hasValue(slot, nulls) else { continue }
        printer.append(words: prefixes[index])
        printer.append(values[slot])
      case .doubles(let values, let nulls):
        guard ColumnAccess.hasValue(slot, nulls) else { continue }
        printer.append(words: prefixes[index])
        printer.append(number: values[slot])
      case .dates(let values, let nulls):
        guard ColumnAccess.hasValue(slot, nulls) else { continue }
        printer.append(words: prefixes[index])
        printer.append(date: values[slot])
      case .strings(let values, let nulls):
        guard ColumnAccess.hasValue(slot, nulls) else { continue }
        printer.append(words: prefixes[index])
        printer.append(values[slot])
      case .bools, .none: printOther(index, slot, to: &printer)
      }
    }
    printer.append(UInt8(ascii: "}"))
  }

  private func printOther(_ index: Int, _ slot: Int, to printer: inout JSONPrinter) {
    if table.columns[index].isNull(slot) { return }
    printer.append(words: prefixes[index])
    table.columns[index].print(slot, to: &printer)
  }
}
