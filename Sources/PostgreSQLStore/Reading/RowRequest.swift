import PostgreSQLClient

/// Some rows of a table that are asked for.
struct RowRequest {
  let table: TableMap
  /// What follows the name of the table: a condition, an order, a window.
  var rest = ""
  var parameters: [Parameter] = []

  init(_ table: TableMap, _ rest: String = "", _ parameters: [Parameter] = []) {
    self.table = table
    self.rest = rest
    self.parameters = parameters
  }

  /// The rows of some keys.
  init(_ table: TableMap, keys: some Sequence<Int64>) {
    self.init(table, "WHERE _key = ANY($1)", [Parameter(array: keys.sorted())])
  }

  var statement: Statement { statement(selecting: table.selected) }

  func statement(selecting columns: String) -> Statement {
    Statement("SELECT \(columns) FROM \(table.name) \(rest)", parameters, isPrepared: true)
  }
}
