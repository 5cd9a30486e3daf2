import SQLTranslation

/// One statement on the way from one schema to another.
struct StructureStep {
  /// The statement; where it runs in batches, its last two parameters are the keys to begin behind
  /// and to end with.
  let sql: String
  /// The values of its first parameters.
  var values: [SQLValue] = []
  /// The table through whose keys it runs in batches, nil where it runs at once.
  var source: TableMap?
}

extension TableMap {
  /// The condition that a row is one of an entity itself, nil where all rows of the table are.
  func isExactly(_ entity: String) -> String? {
    guard let entityColumn, entities.count > 1 else { return nil }
    return "\(entityColumn) = \(SQLText.literal(entity))"
  }

  /// The name under which the table is written anew.
  var temporaryName: String { SQLIdentifier.quotedComposite("migrating \(name)") }
}

extension JoinMap {
  /// The name under which the table is written anew.
  var temporaryName: String { SQLIdentifier.quotedComposite("migrating \(name)") }
}

extension SchemaMap {
  /// The statement that makes a table under another name.
  func creation(of table: TableMap, under name: String) -> String {
    "CREATE TABLE \(name)" + creation(of: table).dropFirst("CREATE TABLE \(table.sql)".count)
  }

  /// The statement that makes the table of a relationship under another name.
  func creation(of join: JoinMap, under name: String) -> String {
    "CREATE TABLE \(name)" + creation(of: join).dropFirst("CREATE TABLE \(join.sql)".count)
  }
}

/// Conditions in parentheses, joined; nothing where there are none.
func whereClause(_ conditions: [String?]) -> String {
  let given = conditions.compactMap { $0 }
  return given.isEmpty ? "" : " WHERE " + given.joined(separator: " AND ")
}
