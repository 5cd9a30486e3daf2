/// Detects that another program has changed the schema with which a store was opened.
///
/// SQLite compares the file's schema cookie at the begin of each statement, and prepares the
/// statement again if it differs. Such a statement would read other columns under the old names.
/// The guard then compares the schema in the state that is read.
package final class SchemaGuard {
  private let version: () throws(SQLiteError) -> String?
  /// Whether the last check found another schema.
  ///
  /// SQLite has loaded that schema by then, and prepares no new statement again.
  private(set) var hasFailed = false

  /// Creates a guard.
  ///
  /// - Parameter version: Returns the version of another schema in the state that the connection
  ///   reads, or `nil` if the schema is the store's. No guard may check its statements.
  package init(version: @escaping () throws(SQLiteError) -> String?) {
    self.version = version
  }

  /// Checks the schema in the state that the connection reads.
  ///
  /// - Throws: ``SQLiteError`` with the version of another schema.
  package func check() throws(SQLiteError) {
    let other = try version()
    hasFailed = other != nil
    if let other { throw SQLiteError(schemaVersion: other) }
  }
}
