import StoreProtocol

/// Brings a file of an earlier format to this one, in the transaction that is open.
///
/// It is part of the first transaction that needs it, so that a file that is refused stays as it is.
struct FormatUpgrade {
  /// The first format whose indexes of constraints find no two NaN equal.
  static let firstWithExactConstraints: Int64 = 3

  /// The first format without an index on the columns of a constraint.
  static let firstWithoutServedIndexes: Int64 = 5

  private let connection: Connection

  init(on connection: Connection) {
    self.connection = connection
  }

  /// Whether the file has an earlier format.
  func isDue() throws -> Bool { try Metadata.format(of: connection) < Metadata.formatVersion }

  /// Creates what earlier formats lack.
  ///
  /// - Parameter schema: The schema that the file has.
  /// - Throws: SQLite's error; the transaction must be rolled back then.
  func run(_ schema: StoreSchema) throws {
    let format = try Metadata.format(of: connection)
    if format < HistoryTable.firstFormat {
      try HistoryTable.make(on: connection)
    } else if format < HistoryTable.firstWithSaves {
      try HistoryTable.complete(on: connection)
    }
    let map = try SchemaMap(schema)
    let (before, after) = (try map.indexes(format: format), try map.indexes())
    for index in before where !after.contains(index) {
      try connection.execute("DROP INDEX \(SQLIdentifier.quotedComposite(index.name))")
    }
    for index in after where !before.contains(index) { try connection.execute(index.sql) }
    try connection.execute("PRAGMA user_version = \(Metadata.formatVersion)")
  }
}
