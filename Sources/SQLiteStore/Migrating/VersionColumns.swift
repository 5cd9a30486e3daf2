import SQLTranslation

/// Adds the column of rows' versions to files of programs that knew none.
struct VersionColumns {
  let connection: Connection

  /// Adds the missing columns, in the open transaction.
  func add(to map: SchemaMap) throws {
    for table in map.tables where try !hasVersions(table) {
      try connection.execute("ALTER TABLE \(table.sql) ADD COLUMN \(table.versionDeclaration)")
    }
  }

  private func hasVersions(_ table: TableMap) throws -> Bool {
    try connection.withStatement("SELECT 1 FROM pragma_table_xinfo(?) WHERE name = ?") {
      try $0.bind(table.name, at: 1)
      try $0.bind(table.versionName, at: 2)
      return try $0.step()
    }
  }
}
