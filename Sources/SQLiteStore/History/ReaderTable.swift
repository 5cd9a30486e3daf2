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
    let found = try connection.withStatement(sql) { statement in
      var found: [HistoryReaderPosition] = []
      while try statement.step() {
        guard let name = statement.text(at: 0) else {
          throw DataStoreError(
            .storeDamaged,
            "the name of a history reader cannot be read"
          )
        }
        found.append(
          HistoryReaderPosition(
            name: name,
            number: statement.integer(at: 1),
            save: statement.identifier(at: 2),
            timestamp: Date(timeIntervalSinceReferenceDate: statement.real(at: 3))
          )
        )
      }
      return found
    }
    return found.sorted { $0.name < $1.name }
  }

  /// Returns the lowest position of a reader, or `nil` if there are no readers.
  func lowest() throws -> Int64? {
    try connection.withStatement("SELECT min(number) FROM \"_readers\"") {
      try $0.step() && !$0.isNull(at: 0) ? $0.integer(at: 0) : nil
    }
  }

  func set(_ position: HistoryReaderPosition) throws {
    try connection.withStatement("INSERT OR REPLACE INTO \"_readers\" VALUES (?, ?, ?, ?)") {
      try $0.bind(position.name, at: 1)
      try $0.bind(position.number, at: 2)
      if let save = position.save { try $0.bind(save, at: 3) } else { try $0.bindNull(at: 3) }
      try $0.bind(position.timestamp.timeIntervalSinceReferenceDate, at: 4)
      try $0.run()
    }
  }

  func remove(_ name: String) throws {
    let name = name.precomposedStringWithCanonicalMapping
    try connection.run("DELETE FROM \"_readers\" WHERE name = ?", .text(name))
  }
}
