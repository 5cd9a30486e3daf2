import Foundation
import StoreHelpers
import StoreProtocol

/// The table of the changes of saves: one row for each save, which groups its changes.
///
/// It was added in format 2, and the columns `save` and `origin` in format 4. A file of an earlier
/// format gets them with the first save.
enum HistoryTable {
  /// The statement that creates the table.
  ///
  /// `total` is the size of all transactions up to this one. So the size of the remaining ones is
  /// known without reading them.
  static let creation = "\(beginning), \(additions.joined(separator: ", ")))"

  /// The statement that created the table before format 4.
  static let formerCreation = "\(beginning))"

  private static let beginning =
    "CREATE TABLE \"_history\"(number INTEGER PRIMARY KEY, timestamp REAL NOT NULL, author TEXT,"
    + " bundle TEXT NOT NULL, process TEXT NOT NULL, changes TEXT NOT NULL, total INTEGER NOT NULL"

  /// The columns that were added in format 4; an older row has null in both.
  private static let additions = ["save BLOB", "origin TEXT"]

  /// Adds the columns that a table of an earlier format lacks.
  static func complete(on connection: Connection) throws {
    for column in additions {
      try connection.execute("ALTER TABLE \"_history\" ADD COLUMN \(column)")
    }
    try connection.execute(ReaderTable.creation)
  }

  /// Whether the table of a file has the identifiers of saves.
  static func hasSaves(on connection: Connection) throws -> Bool {
    try Metadata.format(of: connection) >= FileFormat.firstWithSaves
  }

  /// Whether a file that was identified as a store has the table.
  static func exists(on connection: Connection) throws -> Bool {
    if connection.hasHistory { return true }
    connection.hasHistory = try Metadata.format(of: connection) >= FileFormat.firstWithHistory
    return connection.hasHistory
  }

  /// Creates the table in a store that has none; its history begins with the next save.
  static func make(on connection: Connection) throws {
    try connection.execute(creation)
    try connection.execute(ReaderTable.creation)
    let saves = try Metadata.integer(.saves, from: connection) ?? 0
    try Metadata.set(.historyCut, to: saves, on: connection)
  }

  /// Returns the number of saves: the greatest number in the table or the history.
  ///
  /// A save with a transaction in the history is counted by it. So most saves need not write the
  /// table's page to the log.
  ///
  /// - Parameters:
  ///   - connection: The connection.
  ///   - fingerprint: The fingerprint that the schema must have, or `nil` for any schema.
  /// - Returns: The number of the last save.
  /// - Throws: ``DataStoreError/storeDamaged`` if the number cannot be determined, ``SQLiteError`` if
  ///   the store has another schema.
  static func saves(
    on connection: Connection,
    ofSchema fingerprint: String? = nil
  ) throws -> Int64 {
    let hasHistory = try exists(on: connection)
    let counts = try connection.withStatement(hasHistory ? counts : count) { statement in
      if let fingerprint { try statement.bind(fingerprint, at: 1) }
      guard try statement.step() else { return [Int64]() }
      if fingerprint != nil, statement.storedInteger(at: 0) == 0 {
        throw try Metadata.otherSchema(on: connection)
      }
      return (1...(hasHistory ? 3 : 1)).map { statement.storedInteger(at: $0) ?? -1 }
    }
    guard let saves = counts.max(), counts.allSatisfy((0...StoreNumbers.greatest).contains) else {
      throw DataStoreError(.storeDamaged, "the store's save counter is missing or invalid")
    }
    return saves
  }

  // Reading the history reports its numbers that no save can have had.
  private static let count =
    "SELECT coalesce((SELECT value = ? FROM \"OpenSwiftData\" WHERE key = 'fingerprint'), 0),"
    + " (SELECT value FROM \"OpenSwiftData\" WHERE key = 'saves')"
  private static let counts =
    count + ", coalesce((SELECT value FROM \"OpenSwiftData\" WHERE key = 'historyCut'"
    + " AND value BETWEEN 0 AND \(StoreNumbers.greatest)), 0),"
    + " coalesce((SELECT max(number) FROM \"_history\" WHERE number"
    + " BETWEEN 1 AND \(StoreNumbers.greatest)), 0)"

  /// Returns the bounds of the history.
  ///
  /// - Throws: ``DataStoreError/storeDamaged`` if they cannot be determined.
  static func bounds(of store: String, on connection: Connection) throws -> HistoryBounds {
    let last = try saves(on: connection)
    let cut = try exists(on: connection) ? cut(on: connection) : last
    return HistoryBounds(
      cut: cut,
      last: last,
      cutSave: try cutSave(cut, of: store, on: connection),
      lastSave: try save(at: last, of: store, on: connection)
    )
  }

  /// Returns the identifier of the last save at or before a number, or `nil` if there is none.
  static func save(at number: Int64, of store: String, on connection: Connection) throws -> UUID? {
    guard try exists(on: connection) else { return try cutSave(number, of: store, on: connection) }
    let cut = try cut(on: connection)
    let column = try hasSaves(on: connection) ? "save" : "NULL"
    let sql =
      "SELECT number, \(column) FROM \"_history\" WHERE number <= ? AND number > ?"
      + " ORDER BY number DESC LIMIT 1"
    let found = try connection.first(sql, .integer(number), .integer(cut)) {
      $0.identifier(at: 1) ?? UUID(ofSave: $0.integer(at: 0), in: store)
    }
    return try found ?? cutSave(cut, of: store, on: connection)
  }

  private static func cutSave(
    _ cut: Int64,
    of store: String,
    on connection: Connection
  ) throws -> UUID? {
    if cut == 0 { return nil }
    let text = try Metadata.text(.historyCutSave, from: connection)
    return text.flatMap(UUID.init(uuidString:)) ?? UUID(ofSave: cut, in: store)
  }

  private static func cut(on connection: Connection) throws -> Int64 {
    guard let cut = try Metadata.integer(.historyCut, from: connection),
      (0...StoreNumbers.greatest).contains(cut)
    else {
      throw DataStoreError(.storeDamaged, "the store has no valid start of its history")
    }
    return cut
  }
}

// The history counts a save that it records. Only other saves are counted in the store's own table.

extension Connection {
  /// Assigns a number to the save that begins in the open transaction.
  ///
  /// - Throws: ``DataStoreError/storeDamaged`` if the earlier saves cannot be counted, the error of
  ///   ``StoreNumbers`` if no number is left, or ``SQLiteError`` if another process has changed the
  ///   schema since the store was opened.
  func beginSave() throws {
    let number = try HistoryTable.saves(on: self, ofSchema: expectedSchema) + 1
    try StoreNumbers.check(number, of: "saves", file: nil)
    save = number
    isSaveInHistory = false
  }

  /// Counts the save that was begun, which the history does not.
  func countSave() throws { try Metadata.set(.saves, to: save, on: self) }
}
