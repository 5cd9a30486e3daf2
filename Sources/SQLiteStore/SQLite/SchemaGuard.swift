/// Detects that another program has changed the schema with which a store was opened.
///
/// SQLite compares the file's schema cookie at the begin of each statement, and prepares the
/// statement again if it differs. Such a statement would read other columns under the old names.
/// The guard then compares the fingerprint of the store's schema in the state that is read.
final class SchemaGuard {
  private let connection: OpaquePointer
  private let fingerprint: String
  private let version: (_ schema: String) -> String?
  /// Whether the last check found another schema.
  ///
  /// SQLite has loaded that schema by then, and prepares no new statement again.
  private(set) var hasFailed = false

  /// Creates a guard for the statements of a connection, which outlives it.
  ///
  /// - Parameters:
  ///   - fingerprint: The fingerprint of the schema with which the statements are written.
  ///   - connection: SQLite's connection.
  ///   - version: A function that returns the version of a stored schema, or `nil` if that is the
  ///     connection's and only the stored fingerprint is damaged.
  init(
    _ fingerprint: String,
    on connection: OpaquePointer,
    version: @escaping (_ schema: String) -> String?
  ) {
    self.fingerprint = fingerprint
    self.connection = connection
    self.version = version
  }

  /// Checks the schema in the state that the connection reads.
  ///
  /// - Throws: ``SQLiteError`` with the version of another schema.
  func check() throws(SQLiteError) {
    let isSame = try value(of: "fingerprint") == fingerprint
    let other = isSame ? nil : version(try value(of: "schema") ?? "")
    hasFailed = other != nil
    if let other { throw SQLiteError(schemaVersion: other) }
  }

  /// Reads a value of the store's own table, by a statement that no guard checks and no log counts.
  private func value(of key: String) throws(SQLiteError) -> String? {
    let sql = "SELECT value FROM \"OpenSwiftData\" WHERE key = '\(key)'"
    let statement = try Statement(sql, on: connection, log: nil, schema: nil)
    return try statement.step() ? statement.text(at: 0) : nil
  }
}
