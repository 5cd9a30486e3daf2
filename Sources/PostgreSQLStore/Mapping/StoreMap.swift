import PostgreSQLClient
import RowChanges
import SQLTranslation
import StoreProtocol

/// The mapping of a store's schema, computed once.
struct StoreMap: Sendable {
  let catalog: Catalog
  let storeIdentifier: String
  /// The quoted name of the database's schema.
  let space: String
  /// The tables by the names of their topmost entities.
  let tables: [String: EntityTable]
  /// The entities in the form that translations use.
  private let entities: [String: EntityMap]

  /// Maps a schema to tables in a schema of the database, whose name is quoted.
  init(_ schema: StoreSchema, storeIdentifier: String, space: String) throws {
    self.storeIdentifier = storeIdentifier
    catalog = Catalog(schema, storeIdentifier: storeIdentifier)
    self.space = space
    let roots = schema.entities.filter { $0.root == $0.name }
    let tables = try roots.map { try EntityTable(root: $0, in: schema, space) }
    self.tables = Dictionary(uniqueKeysWithValues: tables.map { ($0.root, $0) })
    entities = Dictionary(
      uniqueKeysWithValues: tables.flatMap {
        $0.entityMaps(in: schema).map { ($0.entity.name, $0) }
      }
    )
  }

  /// Returns the table of an entity's rows.
  ///
  /// - Throws: ``DataStoreError/schemaMismatch`` if the schema lacks the entity.
  func table(of entity: String) throws -> EntityTable {
    let entity = try catalog.entity(named: entity)
    guard let table = tables[entity.root] else {
      throw DataStoreError(.schemaMismatch, "the entity has no table", entity: entity.name)
    }
    return table
  }

  /// The tables in the order of their names.
  var sortedTables: [EntityTable] { tables.values.sorted { $0.root < $1.root } }
}

extension StoreMap: TranslationCatalog {
  var schema: StoreSchema { catalog.schema }

  func entity(named name: String) throws -> EntityMap {
    if let entity = entities[name] { return entity }
    throw DataStoreError(.schemaMismatch, "the store's schema lacks this entity", entity: name)
  }

  func scope(of entity: String) throws -> PersistentIdentifier.Scope {
    try catalog.scope(of: self.entity(named: entity).entity)
  }
}

extension EntityTable {
  /// Returns the table's entities in the form that translations use.
  fileprivate func entityMaps(in schema: StoreSchema) -> [EntityMap] {
    let family = schema.family(of: root)
    // Translations treat the columns of lists whose elements do not refer to their owner as join
    // tables.
    var content: [Int: ColumnMap.Content] = [:]
    for entity in family {
      for (property, position) in zip(entity.properties, positions[entity.name] ?? []) {
        guard let position else { continue }
        switch columns[position].kind {
        case .reference(let destination):
          content[position] = .reference(table: destination.root, entity: destination.name)
        case .list(let destination): content[position] = .order(entity: destination.name)
        default: content[position] = .value(property.attributeType ?? .codable)
        }
      }
    }
    let table = TableMap(
      name: root,
      sql: name,
      key: ("_key", "_key"),
      entity: isShared ? ("_entity", "_entity") : nil,
      version: ("_version", "_version"),
      columns: columns.enumerated().map { position, column in
        ColumnMap(
          name: column.label,
          sql: column.name,
          content: content[position] ?? .value(.codable)
        )
      },
      entities: family
    )
    return family.map { entity in
      let places = zip(entity.properties, positions[entity.name] ?? []).map { property, position in
        guard let position else { return EntityMap.Place.nowhere }
        guard property.isToMany, !property.isDerivedToMany else { return .column(position) }
        return .join(join(columns[position], property.relationship?.destination ?? ""))
      }
      return EntityMap(
        entity: entity,
        table: table,
        places: places,
        family: schema.family(of: entity.name).map(\.name)
      )
    }
  }

  /// Returns a list column as a join table of owners, related objects and positions.
  private func join(_ column: Column, _ destination: String) -> JoinMap {
    let list = "unnest(o.\(column.name)) WITH ORDINALITY AS l(member, position)"
    return JoinMap(
      name: "\(root).\(column.label)",
      sql: "(SELECT o._key AS owner, l.member, l.position FROM \(name) AS o CROSS JOIN \(list))",
      ownerTable: root,
      memberTable: destination,
      memberEntity: destination
    )
  }
}
