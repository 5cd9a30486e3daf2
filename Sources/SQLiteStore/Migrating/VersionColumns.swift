import SQLTranslation

/// Adds the column of rows' versions to files of programs that knew none.
struct VersionColumns {
  let connection: Connection

  /// Adds the missing columns, in the open transaction.
  func add(to map: SchemaMap) throws {
    let column = "SELECT 1 FROM pragma_table_xinfo(?) WHERE name = ?"
    for table in map.tables {
      if try connection.hasRow(column, .text(table.name), .text(table.versionName)) { continue }
      try connection.execute("ALTER TABLE \(table.sql) ADD COLUMN \(table.versionDeclaration)")
    }
  }
}
