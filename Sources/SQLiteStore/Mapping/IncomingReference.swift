import SQLTranslation
import StoreProtocol

/// A relationship that can refer to the rows of a table, so that their deletion changes other rows.
struct IncomingReference: Sendable {
  /// The entity that declares the relationship.
  let entity: String
  /// The name of the relationship.
  let property: String
  /// The table of the rows that can refer to others.
  let table: TableMap
  /// The statement that returns the rows that refer to others, without the keys of these.
  private let selection: String

  /// Returns the relationships of a schema by the table to which they refer.
  ///
  /// One-to-many relationships are left out: their inverses are included.
  static func all(in map: SchemaMap) throws -> [String: [IncomingReference]] {
    var found: [String: [IncomingReference]] = [:]
    for entity in map.schema.entities {
      for property in map.schema.ownProperties(of: entity) {
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
    self.table = table
    if property.isToOne, let column = map.column(of: property.name) {
      selection =
        "SELECT \(table.identifier(of: "t")) FROM \(table.sql) AS t WHERE t.\(column.sql)"
    } else if let join = map.join(of: property.name) {
      selection =
        "SELECT DISTINCT \(table.identifier(of: "t")) FROM \(join.sql) AS j JOIN \(table.sql) AS t"
        + " ON t.\(table.key) = j.owner WHERE j.member"
    } else {
      return nil
    }
  }

  /// Returns the statement that reads the rows that refer to those of some keys, to be bound with
  /// `bind(keys:)`.
  func sql(for keys: [Int64]) -> String {
    selection + (keys.count == 1 ? " = ?" : " IN (SELECT value FROM json_each(?))")
  }
}
