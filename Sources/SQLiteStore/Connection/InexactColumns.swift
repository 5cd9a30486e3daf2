import SQLTranslation

/// Columns that hold a value which SQL compares otherwise than Swift does.
///
/// Most columns never have one: strings are usually composed, and numbers are neither NaN nor -0.0.
/// The first such value marks its column in the metadata table, in the transaction that stores it.
/// From then on queries compare the column with care (``Exactness``). A mark is never removed.
enum InexactColumns {
  /// Whether a column is marked, in the state that the connection sees.
  static func isMarked(
    _ column: ColumnMap,
    in table: TableMap,
    on connection: Connection
  ) throws -> Bool {
    try isMarked(column.inexactMark(in: table.name), on: connection)
  }

  /// Whether the column of a key is marked, in the state that the connection sees.
  static func isMarked(_ key: String, on connection: Connection) throws -> Bool {
    try connection.withStatement("SELECT 1 FROM \"OpenSwiftData\" WHERE key = ?") {
      try $0.bind(key, at: 1)
      return try $0.step()
    }
  }

  static func mark(_ key: String, on connection: Connection) throws {
    try connection.run("INSERT OR IGNORE INTO \"OpenSwiftData\" VALUES (?, 1)", .text(key))
  }
}
