import StoreProtocol

/// A table: the rows of an entity and of all entities that inherit from it.
package final class TableMap: Sendable {
  /// The root entity's name, which is also the table's.
  package let name: String

  /// The name as SQL text.
  package let sql: String

  /// The column of the row's key: `_key` unless a property has that name.
  package let keyName: String

  /// The column of the key, as SQL text.
  package let key: String

  /// The column of the row's entity, or `nil` if the table holds only one.
  ///
  /// Its name is `_entity` unless a property has that name.
  package let entityColumnName: String?

  /// The column of the entity, as SQL text.
  package let entityColumn: String?

  /// The column of the number of the save that last changed the row.
  ///
  /// Its name is `_version` unless a property has that name.
  package let versionName: String

  /// The column of the version, as SQL text.
  package let version: String

  /// The version of a row in a query: the column, or a constant in a file that lacks it.
  package let versionValue: String

  /// The columns of the properties.
  package let columns: [ColumnMap]

  /// The word indexes that the schema declares.
  package let searchIndexes: [SearchIndexMap]

  /// The word indexes that the file has and the library can use.
  package let liveSearchIndexes: [SearchIndexMap]

  /// The columns whose large values are stored in files, according to the schema.
  package let externalColumns: [ColumnMap]

  /// The columns that may hold references to files, including former external columns.
  package let fileColumns: [ColumnMap]

  /// The entities whose rows the table holds, including the root.
  package let entities: [StoreEntity]

  /// Creates the map of a table; its own columns are pairs of the name and its SQL text.
  package init(
    name: String,
    sql: String,
    key: (name: String, sql: String),
    entity: (name: String, sql: String)?,
    version: (name: String, sql: String),
    hasVersions: Bool = true,
    columns: [ColumnMap],
    entities: [StoreEntity],
    searchIndexes: [SearchIndexMap] = [],
    liveSearches: Set<String> = [],
    externalColumns: [ColumnMap] = [],
    fileColumns: [ColumnMap] = []
  ) {
    self.name = name
    self.sql = sql
    (keyName, self.key) = key
    entityColumnName = entity?.name
    entityColumn = entity?.sql
    (versionName, self.version) = version
    versionValue = hasVersions ? version.sql : "1"
    self.columns = columns
    self.entities = entities
    self.externalColumns = externalColumns
    self.fileColumns = fileColumns
    self.searchIndexes = searchIndexes
    liveSearchIndexes = searchIndexes.filter { liveSearches.contains($0.name) }
  }
}

/// The word index of a column.
package struct SearchIndexMap: Hashable, Sendable {
  /// The column whose words are indexed.
  package let column: ColumnMap

  /// The index's name, such as `words Trip(notes)`.
  package let name: String

  /// The name as SQL text.
  package let sql: String

  /// The name of the column's table as SQL text.
  package let tableSQL: String

  /// The column of the rows' keys as SQL text.
  package let key: String

  /// Maps the index of a column in a table, whose name and key are given as SQL text too.
  package init(of column: ColumnMap, in table: String, sql tableSQL: String, key: String) {
    self.column = column
    name = "words \(table)(\(column.name))"
    sql = SQLText.quoted(name, by: "\"")
    self.tableSQL = tableSQL
    self.key = key
  }
}

/// The join table of a to-many relationship whose related objects do not reference their owner.
package struct JoinMap: Hashable, Sendable {
  /// The table's name: the entity that declares the property, a period, and the property.
  package let name: String

  /// The name as SQL text.
  package let sql: String

  /// The entity that declares the property.
  package let entity: String

  package let property: String

  package let ownerTable: String

  /// The table of the related objects' rows.
  package let memberTable: String

  /// The entity of the related objects.
  package let memberEntity: String

  /// The statement that adds a related object.
  package let insertion: String

  package init(
    name: String,
    sql: String,
    entity: String,
    property: String,
    ownerTable: String,
    memberTable: String,
    memberEntity: String
  ) {
    self.name = name
    self.sql = sql
    self.entity = entity
    self.property = property
    self.ownerTable = ownerTable
    self.memberTable = memberTable
    self.memberEntity = memberEntity
    insertion = "INSERT INTO \(sql)(owner, position, member) VALUES (?, ?, ?)"
  }
}

/// The storage of one entity's properties.
package final class EntityMap: Sendable {
  package enum PropertyStorage: Sendable {
    /// A column of the entity's table, by its index there.
    case column(Int)

    case join(JoinMap)
  }

  package let entity: StoreEntity
  package let table: TableMap

  /// The storage of each property, in the order of the entity's properties.
  package let storage: [PropertyStorage]

  /// The values that the rows of the entity's family may have in the entity column, as SQL text.
  package let family: [String]

  package init(entity: StoreEntity, table: TableMap, storage: [PropertyStorage], family: [String]) {
    self.entity = entity
    self.table = table
    self.storage = storage
    self.family = family
  }

  /// Returns the column of a property, or `nil` if it has a join table or does not exist.
  package func column(of property: String) -> ColumnMap? {
    guard let index = entity.indexByName[property], case .column(let position) = storage[index]
    else { return nil }
    return table.columns[position]
  }

  /// The join tables of to-many relationships, with the indexes of their properties.
  package var joins: [(property: Int, join: JoinMap)] {
    storage.enumerated().compactMap { index, storage in
      if case .join(let join) = storage { (index, join) } else { nil }
    }
  }

  /// Returns the join table of a property, or `nil` if there is none.
  package func join(of property: String) -> JoinMap? {
    guard let index = entity.indexByName[property], case .join(let join) = storage[index]
    else { return nil }
    return join
  }
}

extension StoreSchema {
  /// Returns the topmost entity that has a property of an entity.
  package func declarer(of property: String, in entity: StoreEntity) -> StoreEntity {
    var declarer = entity
    while let above = declarer.superentity.flatMap(self.entity(named:)),
      above.indexByName[property] != nil, above !== declarer
    {
      declarer = above
    }
    return declarer
  }
}

extension EntityMap {
  /// The condition that selects the rows of the entity and its subentities, or `nil` if all rows of
  /// the table are such.
  ///
  /// The names are literals: an index's condition cannot have parameters, and a query uses the
  /// index only if its condition is the same text.
  package var entityCondition: String? {
    table.entityColumn.flatMap { column in familyTest.map { "\(column) \($0)" } }
  }

  /// The test of the entity column for the same, which is written alike wherever it is needed.
  package var familyTest: String? {
    guard family.count < table.entities.count else { return nil }
    return family.count == 1 ? "= \(family[0])" : "IN (\(family.joined(separator: ", ")))"
  }
}

extension TableMap {
  /// Returns the condition that a row is of exactly one entity, or `nil` if all rows of the table
  /// are.
  package func isExactly(_ entity: String) -> String? {
    entityColumn.map { "\($0) = \(SQLText.literal(entity))" }
  }
}
