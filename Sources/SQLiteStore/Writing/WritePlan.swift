import StoreProtocol

/// What it takes to write rows of one entity; made once, when the store is opened.
final class WritePlan: Sendable {
  let map: EntityMap

  /// The name in the entity column, nil where the table holds one entity.
  let entityName: String?

  /// The columns of the entity's properties, with the properties' positions.
  let columns: [(property: Int, column: ColumnMap)]

  /// The relationships with tables of their own, with the properties' positions.
  let joins: [(property: Int, join: JoinMap)]

  /// The constraints that the entity's rows obey.
  let constraints: [ConstraintMap]

  /// Inserts a row: its key, its entity where the table holds several, and its columns.
  let insertion: String

  /// Sets all columns of a row: its columns and its key.
  let replacement: String?

  /// Removes a row.
  let deletion: String

  init(_ map: EntityMap, constraints: [ConstraintMap]) {
    self.map = map
    self.constraints = constraints
    let table = map.table
    entityName = table.entityColumn == nil ? nil : map.entity.name
    var columns: [(property: Int, column: ColumnMap)] = []
    var joins: [(property: Int, join: JoinMap)] = []
    for (index, place) in map.places.enumerated() {
      switch place {
      case .column(let column): columns.append((index, table.columns[column]))
      case .join(let join): joins.append((index, join))
      case .nowhere: continue
      }
    }
    self.columns = columns
    self.joins = joins
    let fixed = [table.key] + (table.entityColumn.map { [$0] } ?? [])
    let names = fixed + columns.map(\.column.sql)
    let marks = Array(repeating: "?", count: names.count).joined(separator: ", ")
    insertion =
      "INSERT INTO \(table.sql)(\(names.joined(separator: ", "))) VALUES (\(marks))"
    replacement = Self.update(of: table, columns.map(\.column))
    deletion = "DELETE FROM \(table.sql) WHERE \(table.key) = ?"
  }

  /// The statement that sets some columns of a row, nil for none.
  static func update(of table: TableMap, _ columns: [ColumnMap]) -> String? {
    guard !columns.isEmpty else { return nil }
    let list = columns.map { "\($0.sql) = ?" }.joined(separator: ", ")
    return "UPDATE \(table.sql) SET \(list) WHERE \(table.key) = ?"
  }
}
