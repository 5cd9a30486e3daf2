import Foundation
import StoreProtocol

@testable import SQLiteStore

/// Cells of a SQLite store that hold what its engine would not write there.
///
/// An input is a list of cells: the column, the kind of value, the number of its bytes, the bytes.
enum CellTarget {
  static let seeds: [[UInt8]] = [
    [0, 3, 2, 0x41, 0x42, 11, 3, 2, 0x5B, 0x5D], [3, 1, 8, 127, 255, 255, 255, 255, 255, 255, 255],
    [4, 4, 8, 255, 0, 0, 0, 0, 0, 0, 1, 5, 2, 8, 127, 248, 0, 0, 0, 0, 0, 0],
    [15, 3, 5, 0x5B, 0x31, 0x2C, 0x32, 0x5D],
    // Counts of keys and of saves that are text, nothing, or as great as can be.
    [17, 3, 1, 0x41, 18, 0, 0], [18, 1, 8, 127, 255, 255, 255, 255, 255, 255, 255],
  ]

  /// One store in memory for all inputs; making one takes longer than everything else.
  private static let store = try? SQLiteStore(
    SQLiteStoreConfiguration.inMemory(schema: FuzzSample.schema),
    migrationPlan: nil
  )

  /// Rows are read whatever they hold, or refused; so is a save over them.
  static func read(_ bytes: [UInt8]) throws {
    guard let store else { throw FuzzFailure("a store in memory cannot be made") }
    let cells = cells(bytes)
    // Other programs look neither after references nor after the count of saves.
    try store.database.writer.withConnection { connection in
      try connection.withoutReferenceChecks {
        try connection.transaction {
          try reset(connection)
          for cell in cells { try? set(cell, on: connection) }
        }
      }
    }
    try use(store)
  }

  /// Puts the same two rows into an empty store, whatever an earlier input left there.
  private static func reset(_ connection: Connection) throws {
    for sql in [
      "DELETE FROM \"Item.friends\"", "DELETE FROM \"Item\"",
      "DELETE FROM \"OpenSwiftData\" WHERE key LIKE '%:%'",
      "INSERT OR REPLACE INTO \"OpenSwiftData\" VALUES ('nextKey', 10), ('saves', 1)",
      "INSERT INTO \"Item\" (_key, name, number) VALUES (1, 'a', 5), (2, 'b', NULL)",
      "INSERT INTO \"Item.friends\" VALUES (1, 0, 2)",
    ] {
      try connection.execute(sql)
    }
  }

  private static func use(_ store: SQLiteStore) throws {
    let rows = refusable { try store.fetch(StoreQuery(entity: "Item")) } ?? []
    _ = refusable { try store.count(StoreQuery(entity: "Item")) }
    let owners = rows.map(\.persistentIdentifier)
    for name in ["children", "friends"] {
      _ = refusable { try store.members(of: name, in: "Item", owners: owners) }
    }
    _ = refusable { try store.apply(StoreChanges(inserted: [FuzzSample.row([:])])) }
    _ = refusable {
      try store.apply(
        StoreChanges(
          updated: owners.map { StoreUpdate(identifier: $0, changes: [.init(0, .null)]) }
        )
      )
    }
    _ = refusable { try store.apply(StoreChanges(deleted: owners)) }
  }

  private static func refusable<Result>(_ body: () throws -> Result) -> Result? {
    try? body()
  }

  private struct Cell {
    let column: Int
    let value: SQLValue
  }

  private static func cells(_ bytes: [UInt8]) -> [Cell] {
    var cells: [Cell] = []
    var rest = bytes[...]
    while let column = rest.popFirst(), let kind = rest.popFirst(), let count = rest.popFirst() {
      let content = Array(rest.prefix(Int(count)))
      rest = rest.dropFirst(Int(count))
      cells.append(Cell(column: Int(column), value: value(kind, content)))
    }
    return cells
  }

  private static func value(_ kind: UInt8, _ content: [UInt8]) -> SQLValue {
    let bits = content.prefix(8).reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
    return switch kind % 5 {
    case 0: .null
    case 1: .integer(Int64(bitPattern: bits))
    case 2: .real(Double(bitPattern: bits))
    case 3: .text(String(decoding: content, as: UTF8.self))
    default: .blob(Data(content))
    }
  }

  private static func set(_ cell: Cell, on connection: Connection) throws {
    let columns =
      FuzzSample.entity.properties.map(\.name).filter { $0 != "friends" } + ["_version", "_key"]
    let own = ["nextKey", "saves", "inexact:Item.name", "files:Item.photo"]
    let choice = cell.column % (columns.count + own.count)
    let sql =
      choice < columns.count
      ? "UPDATE OR REPLACE \"Item\" SET \"\(columns[choice])\" = ? WHERE _key = 1"
      : "INSERT OR REPLACE INTO \"OpenSwiftData\" VALUES ('\(own[choice - columns.count])', ?)"
    try connection.withStatement(sql) {
      try $0.bind(cell.value, at: 1)
      try $0.run()
    }
  }
}
