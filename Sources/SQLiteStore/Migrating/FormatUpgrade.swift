import StoreProtocol

/// Upgrades a file of an earlier format, in the open transaction.
///
/// It is part of the first transaction that needs it, so that a refused file stays unchanged.
struct FormatUpgrade {
  let connection: Connection

  /// Creates the parts that earlier formats lack.
  ///
  /// - Parameter schema: The schema that the file has.
  /// - Throws: SQLite's error; the transaction must be rolled back then.
  func run(_ schema: StoreSchema) throws {
    let format = try Metadata.format(of: connection)
    if format < FileFormat.firstWithHistory {
      try HistoryTable.make(on: connection)
    } else if format < FileFormat.firstWithSaves {
      try HistoryTable.complete(on: connection)
    }
    let map = try SchemaMap(schema)
    let (before, after) = (try map.indexes(format: format), try map.indexes())
    for index in before where !after.contains(index) {
      try connection.execute("DROP INDEX \(SQLIdentifier.quotedComposite(index.name))")
    }
    for index in after where !before.contains(index) { try connection.execute(index.sql) }
    try connection.execute("PRAGMA user_version = \(FileFormat.current)")
  }
}
