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
    let sql =
      "SELECT \(other.identifier(of: "m")), o.\(map.table.key) FROM \(map.table.sql) AS o"
      + " JOIN \(other.sql) AS m ON m.\(other.key) = o.\(column.sql)"
      + " WHERE o.\(map.table.key) IN (SELECT value FROM json_each(?))"
    let keys = SQLValue.text(KeyList.encoded(owners.compactMap(\.integerKey)))
    return try connection.rows(sql, keys) { row in
      let owner = row.integer(at: other.entityColumn == nil ? 1 : 2)
      return (
        PersistentIdentifier(scope: scope, key: .integer(owner)),
        try catalog.identifier(row, in: other, destination)
      )
    }
  }

  /// Returns the rows that refer to the given rows by a to-one relationship.
  func referrers(
    by property: StoreProperty,
    of entity: StoreEntity,
    to keys: [Int64]
  ) throws -> [PersistentIdentifier] {
    let root = property.relationship.flatMap {
      catalog.map.schema.entity(named: $0.destination)?.root
    }
    let reference = catalog.references(to: root ?? "")
      .first { $0.entity == entity.name && $0.property == property.name }
    return try reference.map { try referrers(by: $0, to: keys) } ?? []
  }

  /// Returns the rows that refer to the given rows by a relationship.
  func referrers(
    by reference: IncomingReference,
    to keys: [Int64]
  ) throws -> [PersistentIdentifier] {
    try connection.withStatement(reference.sql(for: keys)) { statement in
      try statement.bind(keys: keys)
      return try statement.rows {
        try catalog.identifier($0, in: reference.table, reference.entity)
      }
    }
  }
}
