import Foundation
import StoreProtocol

/// The table of the named readers of the history: one row for each, with its position.
///
/// It was added in format 4.
struct ReaderTable {
  /// The statement that creates the table.
  static let creation =
    "CREATE TABLE \"_readers\"(name TEXT PRIMARY KEY, number INTEGER NOT NULL, save BLOB,"
    + " timestamp REAL NOT NULL) WITHOUT ROWID"

  let connection: Connection

  /// Returns the positions, sorted by name.
  func positions() throws -> [HistoryReaderPosition] {
    guard try HistoryTable.hasSaves(on: connection) else { return [] }
    let sql = "SELECT name, number, save, timestamp FROM \"_readers\""
    let found = try connection.rows(sql) { row in
      guard let name = row.text(at: 0) else {
        throw DataStoreError(.storeDamaged, "the name of a history reader cannot be read")
      }
      return HistoryReaderPosition(
        name: name,
        number: row.integer(at: 1),
        save: row.identifier(at: 2),
        timestamp: Date(timeIntervalSinceReferenceDate: row.real(at: 3))
      )
    }
    return found.sorted { $0.name < $1.name }
  }

  /// Returns the lowest position of a reader, or `nil` if there are no readers.
  func lowest() throws -> Int64? {
    try connection.first("SELECT min(number) FROM \"_readers\"") {
      $0.isNull(at: 0) ? nil : $0.integer(at: 0)
    }
  }

  func set(_ position: HistoryReaderPosition) throws {
    try connection.run(
      "INSERT OR REPLACE INTO \"_readers\" VALUES (?, ?, ?, ?)",
      .text(position.name),
      .integer(position.number),
      SQLValue(position.save),
      .real(position.timestamp.timeIntervalSinceReferenceDate)
    )
  }

  func remove(_ name: String) throws {
    let name = name.composed
    try connection.run("DELETE FROM \"_readers\" WHERE name = ?", .text(name))
  }
}
