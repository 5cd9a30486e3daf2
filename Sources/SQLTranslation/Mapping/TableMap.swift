import StoreProtocol

/// One table: the rows of an entity and of everything that inherits from it.
package final class TableMap: Sendable {
  /// The root entity's name, which is the table's.
  package let name: String

  /// The name as SQL text.
  package let sql: String

  /// The column of the row's key: `_key` unless a property has that name.
  package let keyName: String

  /// The column of the key, as SQL text.
  package let key: String

  /// The column of the row's entity where the table holds more than one: `_entity` unless a
  /// property has that name.
  package let entityColumnName: String?

  /// The column of the entity, as SQL text.
  package let entityColumn: String?

  /// The column of the number of the save that last changed the row: `_version` unless a property
  /// has that name.
  package let versionName: String

  /// The column of the version, as SQL text.
  package let version: String

  /// The version of a row as a query reads it: the column, or a constant in a file that lacks it.
  package let versionValue: String

  /// The columns of the properties.
  package let columns: [ColumnMap]

  /// The indexes of words that the schema asks for.
  package let searchIndexes: [SearchIndexMap]

  /// Those of them that the file has and the library can use.
  package let liveSearchIndexes: [SearchIndexMap]

  /// The columns whose large values are kept in files, as the schema has it.
  package let externalColumns: [ColumnMap]

  /// The columns that may hold references to files: those, and others that held some.
  package let fileColumns: [ColumnMap]

  /// The entities whose rows the table holds, the root among them.
  package let entities: [StoreEntity]

  /// Creates the map of a table; names of its own columns are pairs of the name and its SQL text.
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

/// The index of the words of a column.
package struct SearchIndexMap: Hashable, Sendable {
  /// The column whose words are indexed.
  package let column: ColumnMap

  /// The index's name, as `words Trip(notes)`.
  package let name: String

  /// The name as SQL text.
  package let sql: String

  /// The name of the column's table as SQL text.
  package let tableSQL: String

  /// The column of the rows' keys as SQL text.
  package let key: String

  package init(
    column: ColumnMap,
    name: String,
    sql: String,
    tableSQL: String,
    key: String
  ) {
    self.column = column
    self.name = name
    self.sql = sql
    self.tableSQL = tableSQL
    self.key = key
  }
}

/// The table of a to-many relationship whose members do not say themselves where they belong.
package struct JoinMap: Hashable, Sendable {
  /// The table's name: the entity that declares the property, a point, and the property.
  package let name: String

  /// The name as SQL text.
  package let sql: String

  /// The table of the rows that have the relationship.
  package let ownerTable: String

  /// The table of the rows that are its members.
  package let memberTable: String

  /// The entity that the members belong to.
  package let memberEntity: String

  package init(
    name: String,
    sql: String,
    ownerTable: String,
    memberTable: String,
    memberEntity: String
  ) {
    self.name = name
    self.sql = sql
    self.ownerTable = ownerTable
    self.memberTable = memberTable
    self.memberEntity = memberEntity
  }
}

/// Where the properties of one entity are stored.
package final class EntityMap: Sendable {
  /// Where one property is stored.
  package enum Place: Sendable {
    /// A column of the entity's table, by its position there.
    case column(Int)

    /// A table of its own.
    case join(JoinMap)

    /// Nowhere: the property is ephemeral.
    case nowhere
  }

  package let entity: StoreEntity
  package let table: TableMap

  /// Where each property is stored, in the order of the entity's properties.
  package let places: [Place]

  /// The entity's family: the names that its rows may have in the entity column.
  package let family: [String]

  package init(entity: StoreEntity, table: TableMap, places: [Place], family: [String]) {
    self.entity = entity
    self.table = table
    self.places = places
    self.family = family
  }

  /// The column of a property, nil where it has a table of its own or does not exist.
  package func column(of property: String) -> ColumnMap? {
    guard let index = entity.indexByName[property], case .column(let position) = places[index]
    else { return nil }
    return table.columns[position]
  }

  /// The table of a property, nil where it is a column.
  package func join(of property: String) -> JoinMap? {
    guard let index = entity.indexByName[property], case .join(let join) = places[index]
    else { return nil }
    return join
  }
}

extension EntityMap {
  /// The condition that tells the rows of the entity and its subentities from others of the table,
  /// nil where all rows of the table are such.
  ///
  /// The names stand in the text: an index's condition cannot have parameters, and a query's must
  /// be the same text for the index to be used.
  package var entityCondition: String? {
    guard let column = table.entityColumn, family.count < table.entities.count else { return nil }
    let names = family.map(SQLText.literal)
    return names.count == 1
      ? "\(column) = \(names[0])" : "\(column) IN (\(names.joined(separator: ", ")))"
  }

  /// The condition that tells the rows of the entity itself from others of the table.
  package var ownCondition: String? {
    table.entityColumn.map { "\($0) = \(SQLText.literal(entity.name))" }
  }
}
