import SQLTranslation

/// The statements that create a schema's tables.
///
/// SQLite keeps their texts verbatim, and adds a column's declaration to the text of its table. The
/// check of an opened file relies on both (``SchemaInspection``).
extension SchemaMap {
  /// Returns the statement that creates a table with its columns in the order of declaration.
  func creation(of table: TableMap) -> String {
    creation(of: table, order: table.allColumnNames)
  }

  /// Returns the statement that creates a table with its columns in a given order, without the
  /// names that the table lacks.
  func creation(of table: TableMap, order: [String]) -> String {
    var declarations: [String: String] = [table.keyName: "\(table.key) INTEGER PRIMARY KEY"]
    if let name = table.entityColumnName, let entity = table.entityColumn {
      declarations[name] = "\(entity) TEXT"
    }
    declarations[table.versionName] = table.versionDeclaration
    for column in table.columns { declarations[column.name] = declaration(of: column) }
    let list = order.compactMap { declarations[$0] }.joined(separator: ", ")
    return "CREATE TABLE \(table.sql)(\(list))"
  }

  /// Returns the declaration of a column in the statement that creates or extends its table.
  func declaration(of column: ColumnMap) -> String {
    var text = "\(column.sql) \(column.declaredType)"
    if case .reference(let name, _) = column.content, let table = table(named: name) {
      text += " REFERENCES \(table.sql)(\(table.key)) ON DELETE SET NULL"
      text += " DEFERRABLE INITIALLY DEFERRED"
    }
    return text
  }

  /// Returns the statement that creates the join table of a to-many relationship.
  func creation(of join: JoinMap) -> String {
    func reference(_ name: String) -> String {
      guard let table = table(named: name) else { return "" }
      return " REFERENCES \(table.sql)(\(table.key)) ON DELETE CASCADE"
        + " DEFERRABLE INITIALLY DEFERRED"
    }
    return "CREATE TABLE \(join.sql)(owner INTEGER NOT NULL\(reference(join.ownerTable)), "
      + "position INTEGER NOT NULL, member INTEGER NOT NULL\(reference(join.memberTable)), "
      + "PRIMARY KEY (owner, position)) WITHOUT ROWID"
  }
}

extension TableMap {
  /// Returns the statement that reads columns of the row with a key.
  func selectionByKey(_ columns: String) -> String {
    "SELECT \(columns) FROM \(sql) WHERE \(key) = ?"
  }

  /// Returns the statement that reads columns of the rows with the keys of a JSON list.
  func selectionByKeys(_ columns: String) -> String {
    "SELECT \(columns) FROM \(sql) WHERE \(key) IN (SELECT value FROM json_each(?))"
  }

  /// The columns from which a row's identifier is read: its key, and its entity if there are several.
  var identifier: String { identifier(of: nil) }

  /// Returns the columns of a row's identifier for a table with an alias.
  func identifier(of alias: String?) -> String {
    ([key] + (entityColumn.map { [$0] } ?? [])).map { column in
      alias.map { "\($0).\(column)" } ?? column
    }
    .joined(separator: ", ")
  }

  /// The declaration of the version column in the statement that creates or extends the table.
  ///
  /// Rows that are older than the column, and those of other programs, have the first version.
  var versionDeclaration: String { "\(version) INTEGER DEFAULT 1" }

  /// The names of all columns; the store's own come first.
  var allColumnNames: [String] {
    [keyName] + (entityColumnName.map { [$0] } ?? []) + [versionName] + columns.map(\.name)
  }
}

/// Returns a WHERE clause with the conditions joined by AND, or an empty string if there are none.
func whereClause(_ conditions: [String?]) -> String {
  let given = conditions.compactMap { $0 }
  return given.isEmpty ? "" : " WHERE " + given.joined(separator: " AND ")
}
