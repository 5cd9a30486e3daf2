import StoreProtocol

/// Reads the rows of one entity from text directly into columns.
///
/// Rows in the form of the writer, with ascending keys and properties in the order of the schema
/// without whitespace, are read in place. ``RowDecoder`` reads any other row: it accepts everything
/// that the format allows, and defines the meaning of a row.
struct TableReader: ~Copyable {
  /// A property in the order of the text.
  private struct Field {
    /// The bytes that precede the value.
    let prefix: UnsafeBufferPointer<UInt8>
    /// The index of its draft, or `nil` if the entity no longer has the property.
    let index: Int?
  }

  private let table: Table
  private let format: RowFormat
  private var decoder: RowDecoder
  // In the reader's own memory, without uniqueness checks for each value. Both are allocated with
  // the reader, with one element for each field and each property, and freed with it.
  private let fields: UnsafeMutableBufferPointer<Field>
  private let drafts: UnsafeMutablePointer<ColumnDraft>
  private var keys = GrowingMemory<Int64>()
  /// The number of rows that were read.
  private var count = 0
  /// The number of rows for which memory is allocated.
  private var capacity = 0
  private var lastKey: Int64 = 0
  /// The start of the rows' text.
  private let start: Int
  /// The properties that the text does not contain.
  private let unnamed: [Int]
  /// Rows that a person moved out of key order.
  private var loose: [(key: Int64, offset: Int, cells: [Cell])] = []

  private static let rowKey: StaticString = "\"$id\":"

  private init(_ table: Table, format: RowFormat, nextKey: Int64, from start: Int) {
    self.table = table
    self.start = start
    self.format = format
    decoder = RowDecoder(format: format, nextKey: nextKey)
    drafts = .allocate(capacity: table.columns.count)
    for (index, column) in table.columns.enumerated() {
      (drafts + index).initialize(to: ColumnDraft(type: column.type))
    }
    fields = .allocate(capacity: format.fields.count)
    for (index, field) in format.fields.enumerated() {
      fields.initializeElement(at: index, to: Field(prefix: field.prefix, index: field.index))
    }
    let named = Set(format.fields.compactMap(\.index))
    unnamed = table.columns.indices.filter { !named.contains($0) }
  }

  deinit {
    fields.deallocate()
    drafts.deinitialize(count: table.columns.count)
    drafts.deallocate()
  }

  /// Reads a list of rows into a new table.
  ///
  /// - Parameters:
  ///   - scanner: The text.
  ///   - table: The table without rows.
  ///   - format: The format of the rows.
  ///   - nextKey: The upper limit of the keys, which no row may reach.
  /// - Returns: The table with the rows.
  /// - Throws: `JSONError` if the text is not such a list, a key is not below the limit, or two
  ///   rows have the same key.
  static func read(
    _ scanner: inout JSONScanner,
    _ table: Table,
    format: RowFormat,
    nextKey: Int64
  ) throws(JSONError) -> Table {
    var reader = TableReader(table, format: format, nextKey: nextKey, from: scanner.position)
    var isFirst = true
    try scanner.beginArray()
    while try scanner.nextElement(&isFirst) {
      if try !reader.readInPlace(&scanner) { try reader.readAnyRow(&scanner) }
    }
    return try reader.finished(scanner)
  }

  /// Reads a list of rows into a new table, if all are in the form of the writer.
  ///
  /// - Returns: The table with the rows, or `nil` with an unchanged scanner if a row has another
  ///   form or is invalid.
  static func readPlain(
    _ scanner: inout JSONScanner,
    _ table: Table,
    format: RowFormat,
    nextKey: Int64
  ) -> Table? {
    let start = scanner
    var reader = TableReader(table, format: format, nextKey: nextKey, from: scanner.position)
    do throws(JSONError) {
      var isFirst = true
      var isPlain = true
      try scanner.beginArray()
      while isPlain, try scanner.nextElement(&isFirst) {
        isPlain = try reader.readInPlace(&scanner)
      }
      if isPlain { return try reader.finished(scanner) }
    } catch {
      // Code that needs the rows reads them again, and gets the error.
    }
    scanner = start
    return nil
  }

  /// Reads a row in the form of the writer, or returns `false` with an unchanged scanner for
  /// another form.
  private mutating func readInPlace(_ scanner: inout JSONScanner) throws(JSONError) -> Bool {
    let start = scanner
    let slot = count
    if slot == capacity { grow(scanner) }
    guard loose.isEmpty, let key = try readKey(&scanner) else {
      scanner = start
      return false
    }
    for field in fields {
      guard scanner.take(field.prefix) else {
        if let index = field.index { drafts[index].write(format.defaults[index], at: slot) }
        continue
      }
      if let index = field.index {
        try drafts[index].read(from: &scanner, at: slot)
      } else {
        try scanner.skipValue()
      }
    }
    guard scanner.next == UInt8(ascii: "}") else {
      for index in table.columns.indices { drafts[index].remove(at: slot) }
      scanner = start
      return false
    }
    scanner.leave()
    for index in unnamed { drafts[index].write(format.defaults[index], at: slot) }
    note(key)
    return true
  }

  /// Reads the key if it comes first and is above the previous ones, or returns `nil` otherwise.
  @inline(__always)
  private func readKey(_ scanner: inout JSONScanner) throws(JSONError) -> Int64? {
    guard scanner.next == UInt8(ascii: "{") else { return nil }
    try scanner.enter()
    let word = UnsafeBufferPointer(
      start: Self.rowKey.utf8Start,
      count: Self.rowKey.utf8CodeUnitCount
    )
    guard scanner.take(word), let key = scanner.readPlainInteger(), key > lastKey,
      key < decoder.nextKey
    else { return nil }
    return key
  }

  /// Reads a row in any form that the format allows.
  private mutating func readAnyRow(_ scanner: inout JSONScanner) throws(JSONError) {
    let start = scanner.position
    let key = try decoder.readRow(&scanner)
    let cells = decoder.cells
    guard loose.isEmpty, key > lastKey else {
      // They are sorted at the end.
      loose.append((key, start, cells))
      return
    }
    for index in table.columns.indices { drafts[index].write(cells[index], at: count) }
    note(key)
  }

  private mutating func note(_ key: Int64) {
    keys.set(key, at: count)
    lastKey = key
    count += 1
  }

  /// Allocates memory for the rest of the rows, on the assumption of their previous average length.
  ///
  /// The number is limited, since the rest of the document may have another form.
  private mutating func grow(_ scanner: JSONScanner) {
    let rowSize = max((scanner.position - start) / max(count, 1), 1)
    let rest = (scanner.end - scanner.position) / rowSize
    capacity += max(64, capacity / 4, min(rest + rest / 16, capacity * 3))
    keys.grow(to: capacity)
    for index in table.columns.indices { drafts[index].grow(to: capacity) }
  }

  private mutating func finished(_ scanner: JSONScanner) throws(JSONError) -> Table {
    var columns: [Column] = []
    for index in table.columns.indices { columns.append(drafts[index].column(of: count)) }
    let read = Table(
      entity: table.entity,
      scope: table.scope,
      keys: keys.take(count),
      columns: columns
    )
    return loose.isEmpty ? read : try RowDecoder.merged(read, loose, scanner)
  }
}
