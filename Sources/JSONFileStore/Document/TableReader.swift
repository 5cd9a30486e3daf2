import StoreProtocol

/// Reads the rows of one entity from text straight into columns.
///
/// Rows as the writer leaves them, keys rising and properties in the order of the schema without
/// blanks between, are read in place. Any other row is read by ``RowDecoder``, which takes all that
/// the format allows and is the definition of what a row means.
struct TableReader: ~Copyable {
  /// A property as it comes in the text.
  private struct Field {
    /// The bytes before the value.
    let prefix: UnsafeBufferPointer<UInt8>
    /// The place of its draft, nil for what the entity has no longer.
    let index: Int?
  }

  private let table: Table
  private let format: RowFormat
  private var decoder: RowDecoder
  // In memory of the reader's own, in which no value is asked whether it is shared. Both are made
  // with it, one place for each field and each property, and freed with it.
  private let fields: UnsafeMutableBufferPointer<Field>
  private let drafts: UnsafeMutablePointer<ColumnDraft>
  private var keys = GrowingMemory<Int64>()
  /// How many rows were read.
  private var count = 0
  /// How many rows there is room for.
  private var capacity = 0
  private var lastKey: Int64 = 0
  /// Where the text of the rows begins.
  private let start: Int
  /// The properties that the text does not name.
  private let unnamed: [Int]
  /// Rows that a person put elsewhere than the order of their keys has them.
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
      let prefix = UnsafeMutableBufferPointer<UInt8>.allocate(capacity: field.prefix.count)
      _ = prefix.initialize(from: field.prefix)
      fields.initializeElement(
        at: index,
        to: Field(prefix: UnsafeBufferPointer(prefix), index: field.index)
      )
    }
    let named = Set(format.fields.compactMap(\.index))
    unnamed = table.columns.indices.filter { !named.contains($0) }
  }

  deinit {
    for field in fields { field.prefix.deallocate() }
    fields.deallocate()
    drafts.deinitialize(count: table.columns.count)
    drafts.deallocate()
  }

  /// Reads a list of rows into a new table.
  ///
  /// - Parameters:
  ///   - scanner: The text.
  ///   - table: The table without rows.
  ///   - format: How the text has the rows.
  ///   - nextKey: The key that no row may reach.
  /// - Returns: The table with the rows.
  /// - Throws: `JSONError` where the text is not such a list, a key is not below the next one, or
  ///   two rows have one key.
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

  /// Reads a list of rows into a new table, as far as they stand as the writer leaves them.
  ///
  /// - Returns: The table with the rows; nil, and the scanner where it was, where one stands otherwise
  ///   or something is wrong.
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
      // Whoever needs the rows reads them again, and is told what is wrong.
    }
    scanner = start
    return nil
  }

  /// Reads a row as the writer leaves it; false, and the scanner where it was, where it is another.
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

  /// Reads the key where it comes first and is above those before; nil where it is otherwise.
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
    let cells = decoder.currentCells
    guard loose.isEmpty, key > lastKey else {
      // They are brought in order at the end.
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

  /// Makes room for the rows that the rest of the text has if they are as long as those before, but
  /// not for many more than there are: the rest may be of another kind.
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
