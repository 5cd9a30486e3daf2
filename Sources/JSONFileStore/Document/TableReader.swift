import StoreProtocol

/// Reads the rows of one entity from text straight into columns.
///
/// Rows as the writer leaves them, keys rising and properties in the order of the schema without
/// blanks between, are read in place. Any other row is read by ``RowDecoder``, which takes all that
/// the format allows and is the definition of what a row means.
struct TableReader {
  private let table: Table
  private let format: RowFormat
  private var decoder: RowDecoder
  private var drafts: [ColumnDraft]
  private var keys: [Int64] = []
  /// The properties that the text does not name.
  private let unnamed: [Int]
  /// Rows that a person put elsewhere than the order of their keys has them.
  private var loose: [(key: Int64, offset: Int, cells: [Cell])] = []

  private static let rowKey = Array("\"\(DocumentFormat.rowKey)\":".utf8)

  private init(_ table: Table, format: RowFormat, nextKey: Int64) {
    self.table = table
    self.format = format
    decoder = RowDecoder(format: format, nextKey: nextKey)
    drafts = table.columns.map { ColumnDraft(type: $0.type) }
    let named = Set(format.fields.compactMap(\.index))
    unnamed = drafts.indices.filter { !named.contains($0) }
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
    var reader = TableReader(table, format: format, nextKey: nextKey)
    var isFirst = true
    try scanner.beginArray()
    while try scanner.nextElement(&isFirst) {
      if try !reader.readInPlace(&scanner) { try reader.readAnyRow(&scanner) }
    }
    return try reader.finished(scanner)
  }

  /// Reads a row as the writer leaves it; false, and the scanner where it was, where it is another.
  private mutating func readInPlace(_ scanner: inout JSONScanner) throws(JSONError) -> Bool {
    let start = scanner
    let slot = keys.count
    guard loose.isEmpty, try readKey(&scanner) else {
      scanner = start
      return false
    }
    for field in format.fields {
      guard scanner.take(field.prefix) else {
        if let index = field.index { drafts[index].append(format.defaults[index], at: slot) }
        continue
      }
      if let index = field.index {
        try drafts[index].append(from: &scanner, at: slot)
      } else {
        try scanner.skipValue()
      }
    }
    guard scanner.next == UInt8(ascii: "}") else {
      for index in drafts.indices { drafts[index].remove(from: slot) }
      keys.removeLast()
      scanner = start
      return false
    }
    scanner.leave()
    for index in unnamed { drafts[index].append(format.defaults[index], at: slot) }
    return true
  }

  /// Reads the key where it comes first and is above those before; false where it is otherwise.
  @inline(__always)
  private mutating func readKey(_ scanner: inout JSONScanner) throws(JSONError) -> Bool {
    guard scanner.next == UInt8(ascii: "{") else { return false }
    try scanner.enter()
    guard scanner.take(Self.rowKey), let digit = scanner.next, digit &- UInt8(ascii: "0") <= 9
    else {
      return false
    }
    let key = try scanner.readInteger()
    guard key > keys.last ?? 0, key < decoder.nextKey else { return false }
    keys.append(key)
    return true
  }

  /// Reads a row in any form that the format allows.
  private mutating func readAnyRow(_ scanner: inout JSONScanner) throws(JSONError) {
    let start = scanner.position
    let key = try decoder.readRow(&scanner)
    let cells = decoder.currentCells
    guard loose.isEmpty, key > keys.last ?? 0 else {
      // They are brought in order at the end.
      loose.append((key, start, cells))
      return
    }
    for index in drafts.indices { drafts[index].append(cells[index], at: keys.count) }
    keys.append(key)
  }

  private func finished(_ scanner: JSONScanner) throws(JSONError) -> Table {
    let read = Table(
      entity: table.entity,
      scope: table.scope,
      keys: keys,
      columns: drafts.map { $0.column() }
    )
    return loose.isEmpty ? read : try RowDecoder.merged(read, loose, scanner)
  }
}
