import SQLTranslation
import StoreProtocol

/// Finds the rows at the other end of relationships, for many rows in one query.
struct RelatedRows {
  let catalog: Catalog
  let connection: Connection

  /// Returns the rows to which a relationship of some rows of one entity refers.
  func rows(
    of property: StoreProperty,
    _ map: EntityMap,
    _ owners: [PersistentIdentifier]
  ) throws -> [(owner: PersistentIdentifier, related: PersistentIdentifier)] {
    if property.isToMany {
      let members = try MemberReader(catalog: catalog, connection: connection)
        .members(of: property.name, in: map.entity.name, owners: owners)
      return members.flatMap { entry in entry.value.map { (entry.key, $0) } }
    }
    guard let scope = owners.first?.scope, let column = map.column(of: property.name),
      let destination = property.relationship?.destination
    else { return [] }
    let other = try catalog.map.entity(named: destination).table
    let name = other.entityColumn.map { ", m.\($0)" } ?? ""
    let sql =
      "SELECT m.\(other.key)\(name), o.\(map.table.key) FROM \(map.table.sql) AS o"
      + " JOIN \(other.sql) AS m ON m.\(other.key) = o.\(column.sql)"
      + " WHERE o.\(map.table.key) IN (SELECT value FROM json_each(?))"
    var found: [(owner: PersistentIdentifier, related: PersistentIdentifier)] = []
    try read(sql, owners.compactMap(\.integerKey), other, destination) { related, statement in
      let owner = statement.integer(at: other.entityColumn == nil ? 1 : 2)
      found.append((PersistentIdentifier(scope: scope, key: .integer(owner)), related))
    }
    return found
  }

  /// Returns the rows that refer to the given rows by a to-one relationship.
  func referrers(
    by property: StoreProperty,
    of entity: StoreEntity,
    to keys: [Int64]
  ) throws -> [PersistentIdentifier] {
    let map = try catalog.map.entity(named: entity.name)
    guard let column = map.column(of: property.name) else { return [] }
    let table = map.table
    let name = table.entityColumn.map { ", \($0)" } ?? ""
    let sql =
      "SELECT \(table.key)\(name) FROM \(table.sql)"
      + " WHERE \(column.sql) IN (SELECT value FROM json_each(?))"
    var found: [PersistentIdentifier] = []
    try read(sql, keys, table, entity.name) { identifier, _ in found.append(identifier) }
    return found
  }

  /// Reads rows whose first columns are the key and, if there are several, the entity.
  private func read(
    _ sql: String,
    _ keys: [Int64],
    _ table: TableMap,
    _ entity: String,
    _ body: (PersistentIdentifier, Statement) -> Void
  ) throws {
    try connection.withStatement(sql) { statement in
      try statement.bind(KeyList.encoded(keys), at: 1)
      while try statement.step() {
        let name = table.entityColumn == nil ? nil : statement.text(at: 1)
        body(try catalog.identifier(statement.integer(at: 0), of: name ?? entity), statement)
      }
    }
  }
}
