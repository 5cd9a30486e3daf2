import PostgreSQLClient
import SQLTranslation

/// A request for some rows of a table.
struct RowRequest {
  let table: EntityTable
  /// The SQL after the name of the table: a condition, an order, a window.
  let rest: SQLFragment
  /// The condition that the store has the schema with which it was opened.
  private let unchangedSchema: String?

  init(_ table: EntityTable, _ rest: SQLFragment, unchangedSchema: String? = nil) {
    self.table = table
    self.rest = rest
    self.unchangedSchema = unchangedSchema
  }

  /// Creates a request for the rows whose column has one of some values.
  init(_ table: EntityTable, _ column: String = "_key", isIn keys: some Sequence<Int64>) {
    let keys = PostgreSQLDialect().isAmong(keys.sorted().map(BoundValue.integer)) ?? "IS NULL"
    self.init(table, "WHERE \(column) \(keys)")
  }

  /// Creates a request for the rows with keys of a range.
  init(_ table: EntityTable, keys: Range<Int64>) {
    self.init(
      table,
      "WHERE _key BETWEEN \(bind: .integer(keys.lowerBound)) AND \(bind: .integer(keys.upperBound - 1))"
    )
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

  /// The statement that counts the rows.
  var count: Statement { statement(selecting: "count(*)") }

  func statement(selecting columns: String) -> Statement { rows(columns).statement }

  /// Returns the query for COPY, or `nil` if it needs parameters.
  ///
  /// It compares the schema before its first row, because the rows are used before the check that
  /// follows it.
  func copy(of selection: EntityTable.Selection) -> CopyQuery? {
    let rows = rows(selection.typed)
    let compared = unchangedSchema.map { "SELECT * FROM (\(rows)) AS r WHERE \($0)" as SQLFragment }
    return (compared ?? rows).statementWithoutParameters.map {
      CopyQuery($0, types: selection.types)
    }
  }

  private func rows(_ columns: String) -> SQLFragment {
    "SELECT \(columns) FROM \(table.name) \(rest)"
  }
}
