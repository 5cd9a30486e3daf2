import RowChanges
import StoreHelpers
import StoreProtocol

/// The rows of an overlay by their unique values.
struct UniqueHolders: Sendable {
  private let constraints: [String: [StoreConstraint]]
  private var rows: [UniqueValues: PersistentIdentifier] = [:]

  /// Creates an empty table.
  init(_ schema: StoreSchema) {
    constraints = Dictionary(firstOf: schema.entities.map { ($0.name, schema.constraints(of: $0)) })
  }

  /// The topmost entities with a unique constraint; without any there is nothing to track.
  var entities: Set<String> { Set(constraints.values.joined().map(\.entity)) }

  /// Returns the constraints that include a relationship to one of some entities.
  func constraints(
    leadingTo entities: Set<String>,
    in schema: StoreSchema
  ) -> [(constraint: StoreConstraint, property: String)] {
    Set(constraints.values.joined()).flatMap { constraint in
      constraint.properties.compactMap { name in
        guard
          let relationship = schema.entity(named: constraint.entity)?.property(named: name)?
            .relationship,
          entities.contains(where: { schema.isEntity($0, kindOf: relationship.destination) })
        else { return nil }
        return (constraint, name)
      }
    }
  }

  /// Returns the row that has some of the unique values of a new record.
  ///
  /// - Throws: ``DataStoreError/uniqueConflict`` if two rows each have some of them.
  func row(like new: DefaultSnapshot) throws -> PersistentIdentifier? {
    var found: (row: PersistentIdentifier, properties: [String])?
    for holding in holdings(of: new) {
      guard let row = rows[holding] else { continue }
      if let found, found.row != row {
        throw DataStoreError.uniqueConflict(
          ofNew: new.persistentIdentifier.entityName,
          with: [found, (row, holding.constraint.properties)]
        )
      }
      found = (row, holding.constraint.properties)
    }
    return found?.row
  }

  /// Releases the values of a row, for others or for itself.
  mutating func release(_ row: DefaultSnapshot) {
    for holding in holdings(of: row)
    where rows[holding]?.key == row.persistentIdentifier.key {
      rows[holding] = nil
    }
  }

  /// Notes the values of a row.
  ///
  /// - Throws: ``DataStoreError/uniqueConflict`` if another row has them.
  mutating func hold(_ row: DefaultSnapshot) throws {
    let identifier = row.persistentIdentifier
    for holding in holdings(of: row) {
      let other = rows.updateValue(identifier, forKey: holding)
      guard let other, other.key != identifier.key else { continue }
      throw DataStoreError.uniqueConflict(
        between: identifier,
        and: other,
        over: holding.constraint.properties,
        of: holding.constraint.entity
      )
    }
  }

  /// Notes the values of a row that no other row has.
  mutating func holdIfFree(_ row: DefaultSnapshot) {
    for holding in holdings(of: row) where rows[holding] == nil {
      rows[holding] = row.persistentIdentifier
    }
  }

  mutating func removeAll() { rows = [:] }

  private func holdings(of row: DefaultSnapshot) -> [UniqueValues] {
    (constraints[row.persistentIdentifier.entityName] ?? []).compactMap {
      UniqueValues($0, of: row)
    }
  }
}
