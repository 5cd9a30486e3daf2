import CoreDataFiles
import StoreProtocol

/// The locations of each entity's properties in a store.
///
/// Core Data stores a hierarchy in one table, `Z` and the root's name. Its columns are derived from
/// the model. If two properties of a hierarchy have the same name, a number follows, in the order
/// of ``ColumnNames``. Tables of many-to-many relationships are found by their columns, since
/// systems named them in different ways.
struct SourceLayout: Sendable {
  /// The columns of an attribute: one, or those of a composite's elements.
  indirect enum AttributeColumns: Sendable {
    case column(String)
    case elements([(ManagedModel.Attribute, AttributeColumns)])
    /// The attribute has no column.
    case none

    /// The names of all columns.
    var names: [String] {
      switch self {
      case .none: []
      case .column(let name): [name]
      case .elements(let elements): elements.flatMap { $0.1.names }
      }
    }
  }

  enum RelationshipColumns: Sendable {
    /// A key in the row, with the column that has the target's entity if there is one.
    case key(String)
    /// The column of the related rows that refers to the owner, and the column of their order.
    case backward(table: String, owner: String, order: String?)
    case pairs(table: String, owner: String, target: String, order: String?)
    case none
  }

  /// The table of an entity's hierarchy and the columns of its own and inherited properties.
  struct Entity: Sendable {
    let name: String
    let number: Int64
    /// The index of the root among all roots, which distinguishes keys of different tables.
    let rank: Int64
    let table: String
    var attributes: [String: AttributeColumns] = [:]
    var relationships: [String: RelationshipColumns] = [:]
  }

  var entities: [String: Entity] = [:]
  private let requiresAll: Bool

  /// Finds the columns of a model in a store's tables.
  ///
  /// - Parameters:
  ///   - model: The model.
  ///   - tables: The store's tables.
  ///   - path: The store's path, for messages.
  ///   - requiresAll: Whether each property must have its columns; otherwise it may have none.
  /// - Throws: ``DataStoreError/storeDamaged`` if a table or a column of the model is missing.
  init(_ model: ManagedModel, _ tables: SourceTables, path: String, requiresAll: Bool) throws {
    self.requiresAll = requiresAll
    let hierarchy = Hierarchy(model)
    let roots = tables.entities.filter { $0.superentity == 0 }.map(\.name)
    for root in model.entities where root.superentity == nil {
      guard let rank = roots.firstIndex(of: root.name) else {
        throw Self.unknown(root.name, path)
      }
      let table = "Z" + root.name.uppercased()
      guard let columns = tables.columns[table] else {
        throw Self.damage("the table \(table) is missing", root.name, path)
      }
      let members = try hierarchy.family(of: root.name).map { entity in
        guard let number = tables.number(of: entity.name) else {
          throw Self.unknown(entity.name, path)
        }
        return (entity, number)
      }
      let columnNames = ColumnNames(members)
      for (entity, number) in members {
        entities[entity.name] = Entity(
          name: entity.name,
          number: number,
          rank: Int64(rank),
          table: table
        )
      }
      try assignColumns(members.map(\.0), columnNames, in: Set(columns), table, path)
    }
    inherit(hierarchy)
    try assignToMany(model, hierarchy, tables, path)
  }

  /// Assigns the columns of attributes and to-one relationships.
  private mutating func assignColumns(
    _ members: [ManagedModel.Entity],
    _ names: ColumnNames,
    in columns: Set<String>,
    _ table: String,
    _ path: String
  ) throws {
    for entity in members {
      for attribute in entity.attributes {
        let found = names.columns(of: attribute, in: entity.name)
        let missing = found.names.first { !columns.contains($0) }
        if requiresAll, let missing {
          throw Self.missing(missing, table, entity.name, attribute.name, path)
        }
        entities[entity.name]?.attributes[attribute.name] =
          missing == nil ? found : AttributeColumns.none
      }
      for relationship in entity.relationships {
        var assigned = RelationshipColumns.none
        if !relationship.isToMany, !relationship.isTransient,
          let column = names.column(of: relationship, in: entity.name)
        {
          if columns.contains(column) {
            assigned = .key(column)
          } else if requiresAll {
            throw Self.missing(column, table, entity.name, relationship.name, path)
          }
        }
        entities[entity.name]?.relationships[relationship.name] = assigned
      }
    }
  }

  /// Copies the columns of inherited properties to each entity.
  private mutating func inherit(_ hierarchy: Hierarchy) {
    for entity in entities.values {
      for ancestor in hierarchy.ancestors(of: entity.name) {
        guard let above = entities[ancestor.name] else { continue }
        for attribute in ancestor.attributes {
          entities[entity.name]?.attributes[attribute.name] = above.attributes[attribute.name]
        }
        for relationship in ancestor.relationships {
          entities[entity.name]?.relationships[relationship.name] =
            above.relationships[relationship.name]
        }
      }
    }
  }

  private mutating func assignToMany(
    _ model: ManagedModel,
    _ hierarchy: Hierarchy,
    _ tables: SourceTables,
    _ path: String
  ) throws {
    for entity in model.entities {
      for relationship in entity.relationships
      where relationship.isToMany && !relationship.isTransient {
        let found = toMany(relationship, of: entity, hierarchy, tables)
        guard let columns = found ?? (requiresAll ? nil : RelationshipColumns.none) else {
          throw DataStoreError(
            .storeDamaged,
            "no table or column contains this relationship",
            entity: entity.name,
            property: relationship.name,
            file: path
          )
        }
        for member in hierarchy.family(of: entity.name) {
          entities[member.name]?.relationships[relationship.name] = columns
        }
      }
    }
  }

  private func toMany(
    _ relationship: ManagedModel.Relationship,
    of entity: ManagedModel.Entity,
    _ hierarchy: Hierarchy,
    _ tables: SourceTables
  ) -> RelationshipColumns? {
    guard let target = entities[relationship.destination], let own = entities[entity.name],
      let columns = tables.columns[target.table]
    else { return nil }
    let inverse = relationship.inverse.flatMap {
      hierarchy.relationship($0, of: relationship.destination)
    }
    if let inverse, !inverse.isToMany {
      guard case .key(let column)? = target.relationships[inverse.name] else { return nil }
      let order =
        relationship.isOrdered
        ? columns.first { $0 == "Z_FOK_" + column.dropFirst() } : nil
      return .backward(table: target.table, owner: column, order: order)
    }
    if inverse == nil {
      let column = "Z\(own.number)\(relationship.name.uppercased())"
      if columns.contains(column) {
        let order = columns.first { $0 == "Z_FOK_\(own.number)\(relationship.name.uppercased())" }
        return .backward(table: target.table, owner: column, order: order)
      }
    }
    return JoinTables(tables.columns).pairs(
      relationship,
      inverse: inverse,
      ownNumbers: Set(hierarchy.line(of: entity.name).compactMap { entities[$0]?.number }),
      targetNumbers: Set(
        hierarchy.line(of: relationship.destination).compactMap { entities[$0]?.number }
      )
    )
  }

  private static func missing(
    _ column: String,
    _ table: String,
    _ entity: String,
    _ property: String,
    _ path: String
  ) -> DataStoreError {
    DataStoreError(
      .storeDamaged,
      "the table \(table) has no column \(column)\(otherModel)",
      entity: entity,
      property: property,
      file: path
    )
  }

  private static func unknown(_ entity: String, _ path: String) -> DataStoreError {
    damage("Z_PRIMARYKEY lacks the entity\(otherModel)", entity, path)
  }

  /// The end of messages about a model that does not fit.
  private static let otherModel =
    "; the store was written with another model, which model=PATH or schema=FILE can name"

  private static func damage(_ message: String, _ entity: String, _ path: String) -> DataStoreError
  {
    DataStoreError(.storeDamaged, message, entity: entity, file: path)
  }
}
