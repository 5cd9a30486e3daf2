import SQLTranslation

/// One statement on the way from one schema to another.
struct StructureStep {
  /// The SQL of the statement.
  ///
  /// If it runs in batches, its last two parameters are the key to start after and the key to end
  /// with.
  let sql: String
  /// The values of its first parameters.
  var values: [SQLValue] = []
  /// The table by whose keys it runs in batches, or `nil` if it runs at once.
  var source: TableMap?
}

extension TableMap {
  /// The name under which the table is rebuilt.
  var temporaryName: String { SQLIdentifier.quotedComposite("migrating \(name)") }
}

extension JoinMap {
  /// The name under which the table is rebuilt.
  var temporaryName: String { SQLIdentifier.quotedComposite("migrating \(name)") }
}

extension SchemaMap {
  /// Returns the statement that creates a table under another name.
  func creation(of table: TableMap, under name: String) -> String {
    "CREATE TABLE \(name)" + creation(of: table).dropFirst("CREATE TABLE \(table.sql)".count)
  }

  /// Returns the statement that creates a join table under another name.
  func creation(of join: JoinMap, under name: String) -> String {
    "CREATE TABLE \(name)" + creation(of: join).dropFirst("CREATE TABLE \(join.sql)".count)
  }
}
