import SQLTranslation
import StoreProtocol

/// The statements that make a schema's tables.
///
/// SQLite keeps their texts, word for word, and adds a column's declaration to the text of its
/// table; the check of a file that is opened relies on both (``SchemaInspection``).
extension SchemaMap {
  /// The statement that makes a table with its columns in the order of their declaration.
  func creation(of table: TableMap) -> String {
    creation(of: table, order: table.allColumnNames)
  }

  /// The statement that makes a table with its columns in a given order; names that the table
  /// lacks are left out.
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

  /// A column as it stands in the statement that makes or extends its table.
  func declaration(of column: ColumnMap) -> String {
    var text = "\(column.sql) \(column.declaredType)"
    if case .reference(let name, _) = column.content, let table = table(named: name) {
      text += " REFERENCES \(table.sql)(\(table.key)) ON DELETE SET NULL"
      text += " DEFERRABLE INITIALLY DEFERRED"
    }
    return text
  }

  /// The statement that makes the table of a to-many relationship.
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
  /// The column of the version as it stands in the statement that makes or extends the table.
  ///
  /// Rows that were there before the column, and those of other programs, have the first version.
  var versionDeclaration: String { "\(version) INTEGER DEFAULT 1" }

  /// The names of all columns, the store's own first.
  var allColumnNames: [String] {
    [keyName] + (entityColumnName.map { [$0] } ?? []) + [versionName] + columns.map(\.name)
  }
}
