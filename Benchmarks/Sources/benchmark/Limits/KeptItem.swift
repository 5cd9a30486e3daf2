import Foundation
import RawSQLite

/// The record as an object of a context, by hand.
final class KeptItem: Fields {
  fileprivate(set) var state: KeptState
  /// Written through ``add(_:)``, which is all that a workload does to an item.
  private(set) var number: Int
  var group: Int
  var rank: Int
  var price: Double
  var weight: Double
  var name: String
  var city: String
  var note: String
  var created: Date

  init(_ row: borrowing RawStatement, _ context: KeptContext) throws {
    state = KeptState(context: context, key: row.integer(0), version: row.integer(1))
    number = try row.checkedInteger(2)
    group = try row.checkedInteger(3)
    rank = try row.checkedInteger(4)
    price = try row.checkedDouble(5)
    weight = try row.checkedDouble(6)
    name = try row.checkedText(7)
    city = try row.checkedText(8)
    note = try row.checkedText(9)
    created = Date(timeIntervalSinceReferenceDate: try row.checkedDouble(10))
  }

  init(_ row: inout DocumentParser, _ context: KeptContext) throws {
    state = KeptState(context: context, key: try row.integer("{\"$id\":"), version: 1)
    number = try row.integer(",\"number\":")
    group = try row.integer(",\"group\":")
    rank = try row.integer(",\"rank\":")
    price = try row.double(",\"price\":")
    weight = try row.double(",\"weight\":")
    name = try row.checkedText(",\"name\":\"")
    city = try row.checkedText(",\"city\":\"")
    note = try row.checkedText(",\"note\":\"")
    created = try row.date(",\"created\":\"")
  }

  init(_ record: Record, _ context: KeptContext) {
    state = KeptState(context: context, key: record.id, version: 1)
    number = record.number
    group = record.group
    rank = record.rank
    price = record.price
    weight = record.weight
    name = record.name
    city = record.city
    note = record.note
    created = record.created
  }

  deinit { state.context?.items.remove(state.key) }

  var key: Int { state.key }

  /// Changes the number, and notes who changed and what stood there before.
  func add(_ difference: Int) {
    guard let context = state.context else { return }
    if state.changes == 0 { context.changed.append(self) }
    if state.changes & 1 == 0 {
      state.changes |= 1
      context.originals.append(
        KeptContext.Original(object: context.changed.count - 1, property: 0, value: number)
      )
    }
    number += difference
  }

  /// Has the object deleted by the next save.
  func delete() { state.context?.deleted.append(self) }

  func settle(_ version: Int) {
    state.version = version
    state.changes = 0
  }
}

extension RawStatement {
  /// The next row, or an error: the control takes an error for the end.
  func checkedStep() throws -> Bool {
    switch sqlite3_step(handle) {
    case SQLITE_ROW: return true
    case SQLITE_DONE: return false
    case let code: throw BenchmarkError("SQLite: error \(code)")
    }
  }

  // A file may hold anything in any column.

  func checkedInteger(_ column: Int32) throws -> Int {
    guard sqlite3_column_type(handle, column) == SQLITE_INTEGER else { throw damaged(column) }
    return integer(column)
  }

  func checkedDouble(_ column: Int32) throws -> Double {
    guard sqlite3_column_type(handle, column) == SQLITE_FLOAT else { throw damaged(column) }
    return double(column)
  }

  func checkedText(_ column: Int32) throws -> String {
    guard sqlite3_column_type(handle, column) == SQLITE_TEXT,
      let start = sqlite3_column_text(handle, column)
    else { throw damaged(column) }
    let count = Int(sqlite3_column_bytes(handle, column))
    let bytes = UnsafeBufferPointer(start: start, count: count)
    guard let text = String(unmended: bytes) else { throw damaged(column) }
    return text
  }

  private func damaged(_ column: Int32) -> BenchmarkError {
    BenchmarkError("the file holds something else in column \(column)")
  }

  /// The objects of all rows that the statement has left: those that the context knows, or new ones.
  func keptItems(in context: KeptContext) throws -> [KeptItem] {
    var items: [KeptItem] = []
    while try checkedStep() { items.append(try keptItem(in: context)) }
    reset()
    return items
  }

  /// The object of the current row.
  func keptItem(in context: KeptContext) throws -> KeptItem {
    let key = integer(0)
    if let known = context.items[key] { return known }
    let made = try KeptItem(self, context)
    context.items.add(made, key)
    return made
  }
}

extension String {
  /// The text of some bytes, nil where they are no Unicode.
  ///
  /// `String(validating:as:)` says so too, and takes twice as long.
  init?(unmended bytes: UnsafeBufferPointer<UInt8>) {
    self.init(decoding: bytes, as: UTF8.self)
    // Bytes that are no Unicode were mended, and are not the same any more.
    let isSame = utf8.withContiguousStorageIfAvailable { own in
      guard let start = own.baseAddress, let other = bytes.baseAddress else { return bytes.isEmpty }
      return own.count == bytes.count && memcmp(start, other, own.count) == 0
    }
    if isSame != true { return nil }
  }
}

/// A store of items.
final class KeptItemStore {
  let store: KeptStore
  private let update: RawStatement
  private let delete: RawStatement

  static let selection = "SELECT _key, _version, \(RawDatabase.columns) FROM \"Item\""

  /// Opens a store that the engine has made.
  init(_ path: String) throws {
    store = try KeptStore(path)
    update = try store.database.statement(
      "UPDATE \"Item\" SET number = ?, _version = ? WHERE _key = ?"
    )
    delete = try store.database.statement("DELETE FROM \"Item\" WHERE _key = ?")
  }

  /// Writes what changed in a context, and has its objects know.
  func save(_ context: KeptContext) throws {
    var version = 0
    try store.save { number in
      version = number
      try write(context.changed, number)
      try delete(context.deleted)
      var groups: [String] = []
      let updated = context.changed.map(\.key)
      if !updated.isEmpty {
        let keys = KeyRanges.text(updated)
        groups.append("{\"update\":\"Item\",\"keys\":\(keys),\"properties\":[\"number\"]}")
      }
      let deleted = context.deleted.map(\.key)
      if !deleted.isEmpty {
        groups.append("{\"delete\":\"Item\",\"keys\":\(KeyRanges.text(deleted))}")
      }
      return KeptStore.Changes(
        history: "[\(groups.joined(separator: ","))]",
        updated: store.identifiers(updated, of: "Item"),
        deleted: store.identifiers(deleted, of: "Item")
      )
    }
    for item in context.changed { item.settle(version) }
    for item in context.deleted { context.items.remove(item.state.key) }
    context.changed.removeAll(keepingCapacity: true)
    context.originals.removeAll(keepingCapacity: true)
    context.deleted.removeAll(keepingCapacity: true)
  }

  /// Deletes rows by a condition, and tells the history which they were.
  func deleteItems(numbersBelow bound: Int) throws {
    try store.save { _ in
      let keys = try keys(numbersBelow: bound)
      let deletion = try store.database.statement("DELETE FROM \"Item\" WHERE number < ?")
      deletion.bind(bound, at: 1)
      guard deletion.run() else { throw store.database.failure("DELETE") }
      return KeptStore.Changes(
        history: "[{\"delete\":\"Item\",\"keys\":\(KeyRanges.text(keys))}]",
        deleted: store.identifiers(keys, of: "Item")
      )
    }
  }

  /// Raises prices by a condition, and tells the history of which rows.
  ///
  /// The program is told their number before they are saved, and that no new price is infinite.
  func raisePrices(numbersBelow bound: Int) throws -> Int {
    let counting = try store.database.statement(
      "SELECT count(*), total(abs(price + 1) > 1.7976931348623157e308) FROM \"Item\" WHERE number < ?"
    )
    counting.bind(bound, at: 1)
    guard try counting.checkedStep(), counting.double(1) == 0 else {
      throw BenchmarkError("a price cannot be raised")
    }
    let count = counting.integer(0)
    counting.reset()
    try store.save { version in
      // RETURNING takes longer.
      let keys = try keys(numbersBelow: bound)
      let update = try store.database.statement(
        "UPDATE \"Item\" SET price = price + 1, _version = ? WHERE number < ?"
      )
      update.bind(version, at: 1)
      update.bind(bound, at: 2)
      guard update.run() else { throw store.database.failure("UPDATE") }
      let text = KeyRanges.text(keys)
      return KeptStore.Changes(
        history: "[{\"update\":\"Item\",\"keys\":\(text),\"properties\":[\"price\"]}]",
        updated: store.identifiers(keys, of: "Item")
      )
    }
    return count
  }

  private func keys(numbersBelow bound: Int) throws -> [Int] {
    let found = try store.database.statement(
      "SELECT _key FROM \"Item\" WHERE number < ? ORDER BY _key"
    )
    found.bind(bound, at: 1)
    var keys: [Int] = []
    while try found.checkedStep() { keys.append(found.integer(0)) }
    return keys
  }

  private func write(_ items: [KeptItem], _ version: Int) throws {
    for item in items {
      update.bind(item.number, at: 1)
      update.bind(version, at: 2)
      update.bind(item.state.key, at: 3)
      guard update.run() else { throw store.database.failure("UPDATE") }
    }
  }

  private func delete(_ items: [KeptItem]) throws {
    for item in items {
      delete.bind(item.state.key, at: 1)
      guard delete.run() else { throw store.database.failure("DELETE") }
    }
  }
}
