import StoreProtocol

/// Reads rows like `RowDecoder`, and continues after errors.
struct RowInspector {
  /// The rows that could be read; an invalid value is null.
  private(set) var table: Table
  /// The keys of all rows so far, with their entities.
  var owners: [Int64: String]

  private let format: RowFormat
  private let nextKey: Int64
  private var decoder: RowDecoder
  private var last: Int64 = 0
  private var loose: [(key: Int64, offset: Int, cells: [Cell])] = []

  /// A closure that receives a problem, and returns `false` if no more are needed.
  typealias Report = (JSONError, _ key: Int64?, _ property: String?) -> Bool

  init(_ table: Table, format: RowFormat, nextKey: Int64, owners: [Int64: String]) {
    self.table = table
    self.format = format
    self.nextKey = nextKey
    self.owners = owners
    decoder = RowDecoder(format: format, nextKey: nextKey)
  }

  /// Reads a list of rows whose text is well-formed JSON.
  ///
  /// - Throws: `JSONError` if the text is not a list, or there are too many problems.
  mutating func read(_ scanner: inout JSONScanner, _ report: Report) throws(JSONError) {
    var isFirst = true
    try scanner.beginArray()
    while try scanner.nextElement(&isFirst) {
      let start = scanner
      do throws(JSONError) {
        let key = try decoder.readRow(&scanner)
        try add(key, decoder.cells, at: start, report)
      } catch {
        scanner = start
        try inspectRow(&scanner, error, report)
      }
    }
    if loose.isEmpty { return }
    table = try RowDecoder.merged(table, loose, scanner)
  }

  private mutating func add(
    _ key: Int64,
    _ cells: [Cell],
    at start: JSONScanner,
    _ report: Report
  ) throws(JSONError) {
    if let owner = owners.updateValue(format.entity.name, forKey: key) {
      let error = start.error(
        .invalidValue("another row, of \(owner), has the \"\(DocumentFormat.rowKey)\" \(key)")
      )
      try reportError(error, key, nil, report)
    } else if loose.isEmpty, key > last {
      table.append(key: key, cells: cells)
      last = key
    } else {
      loose.append((key, start.position, cells))
    }
  }

  private func reportError(
    _ error: JSONError,
    _ key: Int64?,
    _ property: String?,
    _ report: Report
  ) throws(JSONError) {
    if !report(error, key, property) { throw error }
  }

  /// Reports all problems of an invalid row.
  private mutating func inspectRow(
    _ scanner: inout JSONScanner,
    _ first: JSONError,
    _ report: Report
  ) throws(JSONError) {
    let start = scanner
    guard try scanner.nextToken() == UInt8(ascii: "{") else {
      try reportError(first, nil, nil, report)
      try scanner.skipValue()
      return
    }
    let key = try key(of: scanner)
    var cells = format.defaults
    var names = JSONKeys()
    var problems = 0
    var isFirst = true
    try scanner.beginObject()
    while let text = try scanner.nextMember(&isFirst) {
      let name = try scanner.string(of: text)
      let found = try problem(name, at: text.start, isNew: names.insert(name), scanner, &cells)
      try scanner.skipValue()
      guard let found, key != nil || name != DocumentFormat.rowKey else { continue }
      problems += 1
      try reportError(found, key, format.fields.contains { $0.name == name } ? name : nil, report)
    }
    // Any remaining error concerns the key.
    if problems == 0 || key == nil { try reportError(first, key, nil, report) }
    if let key { try add(key, cells, at: start, report) }
  }

  /// Returns the problem of a member, whose value is next, or stores the value in the cells.
  private func problem(
    _ name: String,
    at start: Int,
    isNew: Bool,
    _ scanner: JSONScanner,
    _ cells: inout [Cell]
  ) throws(JSONError) -> JSONError? {
    guard isNew else { return scanner.error(.duplicateKey(name), at: start) }
    if name == DocumentFormat.rowKey { return nil }
    guard let field = format.fields.first(where: { $0.name == name }) else {
      return scanner.error(
        .invalidValue("\"\(name)\" is not a property of \(format.entity.name)"),
        at: start
      )
    }
    guard let index = field.index else { return nil }
    var scanner = scanner
    do throws(JSONError) {
      cells[index] = try scanner.readCell(field.type)
      return nil
    } catch {
      return error
    }
  }

  /// Returns the key of the next row, or `nil` if it has no valid one.
  private func key(of scanner: JSONScanner) throws(JSONError) -> Int64? {
    var scanner = scanner
    var isFirst = true
    try scanner.beginObject()
    while let text = try scanner.nextMember(&isFirst) {
      guard try scanner.string(of: text) == DocumentFormat.rowKey else {
        try scanner.skipValue()
        continue
      }
      guard let key = try? scanner.readInteger(), key >= 1, key < nextKey else { return nil }
      return key
    }
    return nil
  }
}
