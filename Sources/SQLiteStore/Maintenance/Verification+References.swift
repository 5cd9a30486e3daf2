import SQLTranslation
import StoreProtocol

/// Dangling references, and references to a row of an entity that the relationship does not allow.
extension Verification {
  /// Checks the references of a table's rows.
  func checkReferences(of table: TableMap) throws {
    for entity in table.entities {
      let map = try catalog.map.entity(named: entity.name)
      for property in entity.properties {
        guard let column = map.column(of: property.name),
          case .reference(let target, let destination) = column.content,
          let parent = catalog.map.table(named: target)
        else { continue }
        let own = table.isExactly(entity.name).map { " AND \($0)" } ?? ""
        let sql =
          "SELECT \(table.key), \(column.sql) FROM \(table.sql) AS row"
          + " WHERE \(column.sql) IS NOT NULL\(own)"
          + " AND NOT EXISTS (\(try counterpart("row.\(column.sql)", in: parent, destination)))"
        try noteLost(sql, in: entity.name, property.name, destination)
      }
    }
  }

  /// Checks the rows of a join table.
  func checkMembers(of join: JoinMap) throws {
    guard let owners = catalog.map.table(named: join.ownerTable),
      let members = catalog.map.table(named: join.memberTable)
    else { return }
    let list = "SELECT owner, member FROM \(join.sql) AS row WHERE NOT EXISTS"
    let member = try counterpart("row.member", in: members, join.memberEntity)
    try noteLost("\(list) (\(member))", in: join.entity, join.property, join.memberEntity)
    let owner = try counterpart("row.owner", in: owners, join.entity)
    try forEachRow("\(list) (\(owner))") {
      found.note(
        StoreProblem(
          "the join table refers to the row \($0.integer(at: 0)), which does not exist",
          entity: join.entity,
          property: join.property,
          file: file
        )
      )
    }
  }

  /// Returns the query for the row of an entity that has a key.
  private func counterpart(_ key: String, in table: TableMap, _ entity: String) throws -> String {
    let condition = try catalog.map.entity(named: entity).entityCondition
    return "SELECT 1 FROM \(table.sql) WHERE \(table.sql).\(table.key) = \(key)"
      + (condition.map { " AND \($0)" } ?? "")
  }

  private func noteLost(
    _ sql: String,
    in entity: String,
    _ property: String,
    _ destination: String
  ) throws {
    let scope = try catalog.scope(of: entity)
    try forEachRow(sql) {
      found.note(
        StoreProblem(
          "the relationship refers to \(destination)/\($0.integer(at: 1)), which does not exist",
          identifier: PersistentIdentifier(scope: scope, key: .integer($0.integer(at: 0))),
          property: property,
          file: file
        )
      )
    }
  }
}
