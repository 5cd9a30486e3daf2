import SQLTranslation
import StoreProtocol

/// Values that must be unique and that SQL's indexes cannot compare as Swift does.
extension Verification {
  /// Compares the unique values of a table in columns that are marked; SQLite compares the others
  /// itself.
  func checkUniqueValues(of table: TableMap) throws {
    for constraint in try catalog.map.constraints(of: table) where constraint.hasInexactColumns {
      let isMarked = try constraint.columns.contains {
        try InexactColumns.isMarked($0, in: table, on: connection)
      }
      if isMarked { try compareValues(of: constraint, in: table) }
    }
  }

  private func compareValues(of constraint: ConstraintMap, in table: TableMap) throws {
    let columns = constraint.columns.map(\.sql).joined(separator: ", ")
    let condition = try catalog.map.entity(named: constraint.entity).entityCondition
    let sql =
      "SELECT \(columns), \(table.key) FROM \(table.sql)"
      + (condition.map { " WHERE \($0)" } ?? "")
    let scope = try catalog.scope(of: constraint.entity)
    var owners: [[SQLValue]: Int64] = [:]
    try connection.withStatement(sql) { statement in
      while !found.isFull, try statement.step() {
        let values = constraint.columns.indices.map { statement.value(at: $0).comparable }
        if constraint.equalNoValues(values) { continue }
        let key = statement.integer(at: values.count)
        guard let other = owners.updateValue(key, forKey: values) else { continue }
        found.note(
          StoreProblem(
            "\(constraint.entity)/\(other) has the same unique values",
            identifier: PersistentIdentifier(scope: scope, key: .integer(key)),
            property: constraint.properties.joined(separator: ", "),
            file: file
          )
        )
      }
    }
  }
}
