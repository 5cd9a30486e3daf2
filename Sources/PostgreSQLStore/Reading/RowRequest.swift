import PostgreSQLClient
import SQLTranslation

/// A request for some rows of a table.
struct RowRequest {
  let table: EntityTable
  /// The SQL after the name of the table: a condition, an order, a window.
  private let rest: SQLFragment

  init(_ table: EntityTable, _ rest: SQLFragment) {
    self.table = table
    self.rest = rest
  }

  /// Creates a request for the rows whose column has one of some values.
  init(_ table: EntityTable, _ column: String = "_key", isIn keys: some Sequence<Int64>) {
    let keys = PostgreSQLDialect().isAmong(keys.sorted().map(BoundValue.integer)) ?? "IS NULL"
    self.init(table, "WHERE \(column) \(keys)")
  }

  var statement: Statement { statement(selecting: table.selection.sql) }

  /// The statement that reads the identifiers alone.
  var identifiers: Statement { statement(selecting: table.identifier) }

  /// The statement that deletes the rows.
  var deletion: Statement { ("DELETE FROM \(table.name) \(rest)" as SQLFragment).statement }

  /// The statement that deletes the rows, and returns their identifiers.
  var reportedDeletion: Statement {
    let statement: SQLFragment =
      "DELETE FROM \(table.name) \(rest) RETURNING \(table.identifier)"
    return statement.statement
  }

  /// Returns the statement that assigns values, and returns the identifiers of the rows.
  func update(_ assignments: [SQLFragment]) -> Statement {
    let statement: SQLFragment =
      "UPDATE \(table.name) SET \(.list(assignments)) \(rest) RETURNING \(table.identifier)"
    return statement.statement
  }

  /// Returns the statement that fails unless there are as many rows that satisfy a condition.
  func check(count: Int, where condition: String) -> Statement {
    let reason = "'the rows are missing, or have other spellings: '"
    let check: SQLFragment = """
      SELECT CASE WHEN count(*) <> \(bind: .integer(Int64(count))) THEN (\(reason) || count(*)::text)::int END \
      FROM \(table.name) \(rest) AND \(condition)
      """
    return check.statement
  }

  func statement(selecting columns: String) -> Statement { rows(columns).statement }

  /// The statement that COPY executes, or `nil` if it needs parameters.
  func copy(of selection: EntityTable.Selection) -> Statement? {
    rows(selection.typed).statementWithoutParameters
  }

  private func rows(_ columns: String) -> SQLFragment {
    "SELECT \(columns) FROM \(table.name) \(rest)"
  }
}
