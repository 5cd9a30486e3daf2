import StoreProtocol

/// The table of what saves changed: one row for each, which groups its changes.
///
/// It came with format 2. A file of format 1 gets it when it is first opened for writing.
enum HistoryTable {
  /// The name, which no entity can have.
  static let name = "_history"

  /// The first format that has the table.
  static let firstFormat: Int64 = 2

  /// The statement that makes the table.
  ///
  /// `total` is the size of all transactions up to this one, so that what is left has a size without
  /// being read.
  static let creation =
    "CREATE TABLE \"_history\"(number INTEGER PRIMARY KEY, timestamp REAL NOT NULL, author TEXT,"
    + " bundle TEXT NOT NULL, process TEXT NOT NULL, changes TEXT NOT NULL, total INTEGER NOT NULL)"

  /// Whether a file that is known to be a store has the table.
  static func exists(on connection: Connection) throws -> Bool {
    try Metadata.format(of: connection) >= firstFormat
  }

  /// Whether a file has the table, whatever its format says.
  static func isPresent(on connection: Connection) throws -> Bool {
    try connection.integer("SELECT count(*) FROM sqlite_master WHERE name = '\(name)'") != 0
  }

  /// Makes the table in a store that has none, whose history begins with the next save.
  static func make(on connection: Connection) throws {
    try connection.execute(creation)
    let saves = try Metadata.integer(.saves, from: connection) ?? 0
    try Metadata.set(.historyCut, to: saves, on: connection)
  }

  /// From where to where the history goes.
  ///
  /// - Throws: ``DataStoreError/storeDamaged`` when that cannot be told.
  static func bounds(on connection: Connection) throws -> HistoryBounds {
    let last = try Metadata.saves(from: connection)
    guard try exists(on: connection) else { return HistoryBounds(cut: last, last: last) }
    guard let cut = try Metadata.integer(.historyCut, from: connection),
      (0...StoreNumbers.greatest).contains(cut)
    else {
      throw DataStoreError(.storeDamaged, "the store has lost where its history begins")
    }
    return HistoryBounds(cut: cut, last: last)
  }
}
