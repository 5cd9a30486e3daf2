import SQLTranslation
import StoreProtocol

/// A relationship that can lead to the rows of a table, by which their deletion changes others.
struct IncomingReference: Sendable {
  /// The entity that declares the relationship.
  let entity: String
  /// Its name.
  let property: String
  /// Whether the statement gives the entity of each row behind its key.
  let hasEntities: Bool
  /// Gives the rows that refer to those of a list of keys.
  let sql: String

  /// The relationships of a schema by the table that they lead to.
  ///
  /// Those whose members say themselves where they belong are told by the members' own.
  static func all(in map: SchemaMap) throws -> [String: [IncomingReference]] {
    var found: [String: [IncomingReference]] = [:]
    for entity in map.schema.entities {
      let above = entity.superentity.flatMap(map.schema.entity(named:))
      for property in entity.properties where above?.property(named: property.name) == nil {
        guard let destination = property.relationship?.destination,
          let target = map.schema.entity(named: destination)?.root,
          let reference = try IncomingReference(property, of: map.entity(named: entity.name))
        else { continue }
        found[target, default: []].append(reference)
      }
    }
    return found
  }

  private init?(_ property: StoreProperty, of map: EntityMap) {
    entity = map.entity.name
    self.property = property.name
    let table = map.table
    hasEntities = table.entityColumn != nil
    let list = "IN (SELECT value FROM json_each(?))"
    let name = table.entityColumn.map { ", t.\($0)" } ?? ""
    if property.isToOne, let column = map.column(of: property.name) {
      sql =
        "SELECT t.\(table.key)\(name) FROM \(table.sql) AS t WHERE t.\(column.sql) \(list)"
    } else if let join = map.join(of: property.name) {
      sql =
        "SELECT DISTINCT t.\(table.key)\(name) FROM \(join.sql) AS j JOIN \(table.sql) AS t"
        + " ON t.\(table.key) = j.owner WHERE j.member \(list)"
    } else {
      return nil
    }
  }
}
