import SQLTranslation
import StoreProtocol

/// Maps a schema to tables and columns, one hierarchy at a time.
struct SchemaMapBuilder {
  let schema: StoreSchema

  /// The names of the word indexes that the file has.
  let searchIndexes: Set<String>

  /// The names of the tables without a version column.
  let unversioned: Set<String>

  /// The marks of columns that hold references to files.
  let fileMarks: Set<String>

  private(set) var tables: [TableMap] = []
  private(set) var joins: [JoinMap] = []
  private(set) var entities: [String: EntityMap] = [:]

  mutating func build() throws {
    for root in schema.entities where root.root == root.name {
      try buildTable(of: root)
    }
    let names = FileFormat.ownTables + tables.map(\.name) + joins.map(\.name)
    try SQLIdentifier.checkCollisions(names)
  }

  private mutating func buildTable(of root: StoreEntity) throws {
    let family = schema.family(of: root.name)
    let declarations = declarations(in: family, root: root)
    let taken = Set(declarations.map { SQLIdentifier.folded($0.column) })
    var columns: [ColumnMap] = []
    var searched: [ColumnMap] = []
    var external: [ColumnMap] = []
    var storages: [Declaration.ID: EntityMap.PropertyStorage] = [:]
    for declaration in declarations {
      switch try storage(of: declaration) {
      case .column(let column):
        storages[declaration.id] = .column(columns.count)
        columns.append(column)
        if declaration.property.isSearchedString { searched.append(column) }
        if declaration.property.keepsFiles(in: family) { external.append(column) }
      case .join(let join):
        storages[declaration.id] = .join(join)
        joins.append(join)
      }
    }
    try SQLIdentifier.checkCollisions(columns.map(\.name))
    let sql = try SQLIdentifier.quoted(root.name)
    let key = try Self.free("_key", among: taken)
    let table = TableMap(
      name: root.name,
      sql: sql,
      key: key,
      entity: family.count > 1 ? try Self.free("_entity", among: taken) : nil,
      version: try Self.free("_version", among: taken),
      hasVersions: !unversioned.contains(root.name),
      columns: columns,
      entities: family,
      searchIndexes: searched.map {
        SearchIndexMap(of: $0, in: root.name, sql: sql, key: key.sql)
      },
      liveSearches: searchIndexes,
      externalColumns: external,
      fileColumns: columns.filter {
        external.contains($0) || fileMarks.contains($0.fileMark(in: root.name))
      }
    )
    tables.append(table)
    for entity in family { try addMap(of: entity, table, storages) }
  }

  private mutating func addMap(
    of entity: StoreEntity,
    _ table: TableMap,
    _ storages: [Declaration.ID: EntityMap.PropertyStorage]
  ) throws {
    // Names of subentities are used in conditions and in column names.
    _ = try SQLIdentifier.quoted(entity.name)
    entities[entity.name] = EntityMap(
      entity: entity,
      table: table,
      storage: entity.properties.compactMap { storages[declarer(of: $0.name, in: entity)] },
      family: schema.family(of: entity.name).map { SQLText.literal($0.name) }
    )
  }

  /// Returns a name for a column of the store that no property has, with its SQL text.
  private static func free(
    _ name: String,
    among taken: Set<[UInt8]>
  ) throws -> (name: String, sql: String) {
    var name = name
    while taken.contains(SQLIdentifier.folded(name)) { name = "_" + name }
    return (name, try SQLIdentifier.quoted(name))
  }
}

extension SchemaMapBuilder {
  /// A property in the entity that declares it first.
  private struct Declaration {
    struct ID: Hashable {
      let entity: String
      let property: String
    }

    let id: ID
    let property: StoreProperty
    /// The property's name, with marks if the entity has another one that SQLite takes for the same.
    let name: String
    let column: String
  }

  private enum Storage {
    case column(ColumnMap)
    case join(JoinMap)
  }

  /// Returns the topmost entity that has the property.
  private func declarer(of property: String, in entity: StoreEntity) -> Declaration.ID {
    Declaration.ID(entity: schema.declarer(of: property, in: entity).name, property: property)
  }

  private func declarations(in family: [StoreEntity], root: StoreEntity) -> [Declaration] {
    // The root comes first: its columns keep their names whatever inherits from it.
    let ordered = [root] + family.filter { $0 !== root }
    let found = ordered.flatMap { entity in
      entity.properties.map { (declarer(of: $0.name, in: entity), $0) }
        .filter { $0.0.entity == entity.name }
    }
    let declarers = Dictionary(grouping: found.map(\.0)) { SQLIdentifier.folded($0.property) }
    return found.map { id, property in
      let same = declarers[SQLIdentifier.folded(id.property)] ?? []
      let isAmbiguous = same.contains { $0.entity == id.entity && $0.property != id.property }
      let name = isAmbiguous ? SQLIdentifier.markingCapitals(id.property) : id.property
      let column = same.count > 1 && id.entity != root.name ? "\(id.entity).\(name)" : name
      return Declaration(id: id, property: property, name: name, column: column)
    }
  }

  private func storage(of declaration: Declaration) throws -> Storage {
    let name = declaration.column
    // Checks the property's own name too, which may differ from the column's.
    _ = try SQLIdentifier.quoted(declaration.id.property)
    switch declaration.property.kind {
    case .attribute(let type): return .column(try column(name, .value(type)))
    case .toOne(let relationship):
      let table = table(of: relationship)
      return .column(
        try column(name, .reference(table: table, entity: relationship.destination))
      )
    case .toMany(let relationship):
      let table = table(of: relationship)
      guard !declaration.property.isDerivedToMany else {
        return .column(try column(name, .order(entity: relationship.destination)))
      }
      return .join(join(of: declaration, relationship, members: table))
    }
  }

  private func column(_ name: String, _ content: ColumnMap.Content) throws -> ColumnMap {
    ColumnMap(name: name, sql: try SQLIdentifier.quoted(name), content: content)
  }

  private func join(
    of declaration: Declaration,
    _ relationship: StoreRelationship,
    members table: String
  ) -> JoinMap {
    let name = "\(declaration.id.entity).\(declaration.name)"
    return JoinMap(
      name: name,
      sql: SQLIdentifier.quotedComposite(name),
      entity: declaration.id.entity,
      property: declaration.property.name,
      ownerTable: schema.entity(named: declaration.id.entity)?.root ?? "",
      memberTable: table,
      memberEntity: relationship.destination
    )
  }

  /// Returns the table of the rows that a relationship refers to; the schema was checked earlier.
  private func table(of relationship: StoreRelationship) -> String {
    schema.entity(named: relationship.destination)?.root ?? ""
  }
}
