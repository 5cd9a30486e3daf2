import Foundation
import StoreHelpers
import StoreProtocol

/// Applies the records of a journal to the rows.
struct JournalReplay {
  let map: TableMap
  /// The path of the document, for errors of its rows.
  let document: String
  /// The numbers of transactions to delete, none above the last save when they were read.
  private var forgotten: [ClosedRange<Int64>] = []
  /// The identifier of the save that cuts the history, which precedes its number.
  private var cutSave: UUID?

  init(map: TableMap, document: String) {
    self.map = map
    self.document = document
  }

  /// Applies one record.
  ///
  /// - Throws: `JSONError` if the record is not one of this store, or the errors of reading the
  ///   rows of the document.
  mutating func apply(
    _ bytes: UnsafeRawBufferPointer,
    _ range: Range<Int>,
    to state: inout StoreState
  ) throws {
    var scanner = JSONScanner(bytes, in: range)
    var isFirst = true
    var next = state.nextKey
    try scanner.beginObject()
    while let text = try scanner.nextMember(&isFirst) {
      switch try scanner.string(of: text) {
      case "next": next = max(next, try scanner.readCounter("row keys", from: 1))
      case "history": try append(try HistoryLine(&scanner, bytes), scanner, &state.history)
      case "cut":
        finish(&state)
        state.history.cutAll(at: try scanner.readSaveNumber(), save: cutSave)
        cutSave = nil
      case "cutSave": cutSave = try scanner.readUUID()
      case "readers": HistoryStep.move(try scanner.readReaders()).apply(to: &state.history)
      case "part": state.history.removeReader(try scanner.readString())
      case "forget": try forget(&scanner, state.history)
      case "erase": if try scanner.readBool() { state.eraseRows() }
      case "delete": try eachTable(&scanner, &state) { try delete($0, &$1, &$2) }
      case "update": try eachTable(&scanner, &state) { try update($0, next, &$1, &$2) }
      case "insert": try eachTable(&scanner, &state) { try insert($0, next, &$1, &$2) }
      default: throw scanner.error(.invalidValue("a record cannot have this key"), at: text.start)
      }
    }
    try scanner.finish()
    state.nextKey = next
  }

  /// Performs the work that is done once for all records.
  ///
  /// Transactions are deleted together: one by one, each deletion would move all later ones.
  mutating func finish(_ state: inout StoreState) {
    state.history.delete(forgotten)
    forgotten = []
  }

  private func append(
    _ line: HistoryLine,
    _ scanner: JSONScanner,
    _ history: inout History
  ) throws(JSONError) {
    guard line.number > history.lastSave else {
      throw scanner.error(.invalidValue("transactions must be in ascending order"))
    }
    history.append(line)
  }

  private mutating func forget(
    _ scanner: inout JSONScanner,
    _ history: History
  ) throws(JSONError) {
    let start = scanner.position
    guard let numbers = KeyRanges(storeValue: try scanner.readTagged()) else {
      throw scanner.error(.invalidValue("transaction numbers are expected"), at: start)
    }
    // Later transactions are not affected, regardless of their numbers.
    let last = history.lastSave
    for range in numbers.ranges where range.lowerBound <= last {
      forgotten.append(range.clamped(to: 0...last))
    }
  }

  private func eachTable(
    _ scanner: inout JSONScanner,
    _ state: inout StoreState,
    _ body: (Int, inout JSONScanner, inout StoreState) throws -> Void
  ) throws {
    var isFirst = true
    try scanner.beginObject()
    while let text = try scanner.nextMember(&isFirst) {
      let name = try scanner.string(of: text)
      guard let table = try? map.table(of: name) else {
        throw scanner.error(.invalidValue("the schema has no entity \(name)"), at: text.start)
      }
      try state.load(table, file: document)
      try body(table, &scanner, &state)
    }
  }

  private func delete(
    _ table: Int,
    _ scanner: inout JSONScanner,
    _ state: inout StoreState
  ) throws {
    for key in try scanner.readKeys() {
      state.withTable(table) { if let slot = $0.slot(of: key) { $0.remove(slot: slot) } }
    }
  }

  private func update(
    _ table: Int,
    _ next: Int64,
    _ scanner: inout JSONScanner,
    _ state: inout StoreState
  ) throws {
    try eachRow(&scanner, state.tables[table].format, next) { key, decoder, scanner in
      guard let slot = state.tables[table].table?.slot(of: key) else {
        throw scanner.error(.invalidValue("the row \(key) does not exist and cannot be changed"))
      }
      state.withTable(table) { rows in
        for index in decoder.currentIndices {
          rows.set(decoder.cells[index], at: index, slot: slot)
        }
      }
    }
  }

  private func insert(
    _ table: Int,
    _ next: Int64,
    _ scanner: inout JSONScanner,
    _ state: inout StoreState
  ) throws {
    try eachRow(&scanner, state.tables[table].format, next) { key, decoder, scanner in
      if let last = state.tables[table].table?.keys.last, key <= last {
        throw scanner.error(.invalidValue("the row \(key) already exists"))
      }
      state.withTable(table) { $0.append(key: key, cells: decoder.cells) }
    }
  }

  private func eachRow(
    _ scanner: inout JSONScanner,
    _ format: RowFormat,
    _ next: Int64,
    _ body: (Int64, RowDecoder, JSONScanner) throws -> Void
  ) throws {
    var decoder = RowDecoder(format: format, nextKey: next)
    var isFirst = true
    try scanner.beginArray()
    while try scanner.nextElement(&isFirst) {
      let key = try decoder.readRow(&scanner)
      try body(key, decoder, scanner)
    }
  }
}
