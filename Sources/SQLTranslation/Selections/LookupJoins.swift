/// Tables that a statement reads beside its own: one row, or none, for each row of that.
///
/// A value of a referenced row is a subquery wherever it is used in SQL. A statement that needs it
/// for each row joins the table instead, which SQLite does at two thirds of the cost.
package struct LookupJoins {
  /// The joins, which follow the statement's own table.
  package private(set) var clauses = ""
  private var aliases: [String: String] = [:]
  private let state: TranslationState

  /// Creates an empty list of joins.
  package init(_ state: TranslationState) { self.state = state }

  /// Returns the value as a column of a joined table, if it is a column of a referenced row.
  package mutating func joining(_ term: SQLTerm) -> SQLTerm {
    guard let first = term.path.first, term.sources.count == 1, let source = term.sources.first
    else { return term }
    var joinedAlias = alias(of: first.table, at: first.column)
    for hop in term.path.dropFirst() {
      joinedAlias = alias(of: hop.table, at: "\(joinedAlias).\(hop.column)")
    }
    var joined = term
    joined.text = SQLFragment("\(joinedAlias).\(source.column.sql)")
    joined.path = []
    // Without a reference there is no row either.
    joined.guards.removeAll { $0.text == "\(first.column) IS NOT NULL" }
    return joined
  }

  private mutating func alias(of table: TableMap, at reference: String) -> String {
    let key = "\(reference) \(table.sql)"
    if let cached = aliases[key] { return cached }
    let alias = state.alias()
    aliases[key] = alias
    clauses += " LEFT JOIN \(table.sql) AS \(alias) ON \(alias).\(table.key) = \(reference)"
    return alias
  }
}
