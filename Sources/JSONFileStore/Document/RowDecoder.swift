import StoreProtocol

/// Reads rows of one entity from text.
struct RowDecoder {
  let format: RowFormat
  /// The upper limit of the keys, which no row may reach.
  let nextKey: Int64
  /// The cells of the last row, in the order of the entity's properties.
  private(set) var cells: [Cell]
  private var found: Bitmap

  private static let rowKey = Array(DocumentFormat.rowKey.utf8)

  init(format: RowFormat, nextKey: Int64) {
    self.format = format
    self.nextKey = nextKey
    cells = format.defaults
    found = Bitmap()
  }

  /// Returns a table with rows that are out of key order moved to their positions.
  static func merged(
    _ table: Table,
    _ loose: [(key: Int64, offset: Int, cells: [Cell])],
    _ scanner: JSONScanner
  ) throws(JSONError) -> Table {
    let start = (0..<table.slotCount).map { (table.keys[$0], 0, table.cells($0)) }
    let rows = (start + loose).sorted { ($0.0, $0.1) < ($1.0, $1.1) }
    var result = Table(entity: table.entity, scope: table.scope)
    var last: Int64 = 0
    for (key, offset, cells) in rows {
      guard key > last else {
        throw scanner.error(
          .invalidValue("another row has the \"\(DocumentFormat.rowKey)\" \(key)"),
          at: offset
        )
      }
      result.append(key: key, cells: cells)
      last = key
    }
    return result
  }

  /// Reads one row, whose values are then in `cells`.
  ///
  /// - Returns: The row's key.
  mutating func readRow(_ scanner: inout JSONScanner) throws(JSONError) -> Int64 {
    var key: Int64?
    var isFirst = true
    var expected = 0
    for index in cells.indices { cells[index] = format.defaults[index] }
    found = Bitmap()
    let start = scanner.position
    try scanner.beginObject()
    while let text = try scanner.nextMember(&isFirst) {
      if scanner.isText(text, equalTo: Self.rowKey) {
        key = try readKey(text, before: key, &scanner)
      } else if let index = field(text, from: expected, scanner) {
        expected = index + 1
        guard !found.contains(index) else {
          throw scanner.error(.duplicateKey(format.fields[index].name), at: text.start)
        }
        found.insert(index)
        try readValue(format.fields[index], &scanner)
      } else {
        key = try readKey(text, before: key, &scanner)
      }
    }
    guard let key else {
      throw scanner.error(
        .invalidValue("the row lacks the key \"\(DocumentFormat.rowKey)\""),
        at: start
      )
    }
    return key
  }

  /// The indices of the properties that the last row names.
  var currentIndices: [Int] {
    format.fields.indices.compactMap { found.contains($0) ? format.fields[$0].index : nil }
  }

  /// Returns the field with a name, searching first at its position in the schema.
  @inline(__always)
  private func field(_ text: JSONText, from expected: Int, _ scanner: JSONScanner) -> Int? {
    for index in expected..<format.fields.count
    where scanner.isText(text, equalTo: format.fields[index].bytes) {
      return index
    }
    return fieldAnywhere(text, scanner)
  }

  private func fieldAnywhere(_ text: JSONText, _ scanner: JSONScanner) -> Int? {
    guard let name = try? scanner.string(of: text), name != DocumentFormat.rowKey else {
      return nil
    }
    return format.fields.firstIndex { $0.name == name }
  }

  @inline(__always)
  private mutating func readValue(
    _ field: RowFormat.Field,
    _ scanner: inout JSONScanner
  ) throws(JSONError) {
    guard let index = field.index else {
      try scanner.skipValue()
      return
    }
    cells[index] = try scanner.readCell(field.type)
  }

  private func readKey(
    _ text: JSONText,
    before: Int64?,
    _ scanner: inout JSONScanner
  ) throws(JSONError) -> Int64 {
    let name = try scanner.string(of: text)
    guard name == DocumentFormat.rowKey else {
      throw scanner.error(
        .invalidValue("\"\(name)\" is not a property of \(format.entity.name)"),
        at: text.start
      )
    }
    if before != nil { throw scanner.error(.duplicateKey(name), at: text.start) }
    let start = scanner.position
    let key = try scanner.readInteger()
    guard key >= 1, key < nextKey else {
      throw scanner.error(
        .invalidValue("row keys must be from 1 to \(nextKey - 1), below \"nextKey\""),
        at: start
      )
    }
    return key
  }
}
