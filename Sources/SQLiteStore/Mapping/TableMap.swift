import StoreProtocol

/// One table: the rows of an entity and of everything that inherits from it.
final class TableMap: Sendable {
  /// The root entity's name, which is the table's.
  let name: String

  /// The name as SQL text.
  let sql: String

  /// The column of the row's key: `_key` unless a property has that name.
  let keyName: String

  /// The column of the key, as SQL text.
  let key: String

  /// The column of the row's entity where the table holds more than one: `_entity` unless a
  /// property has that name.
  let entityColumnName: String?

  /// The column of the entity, as SQL text.
  let entityColumn: String?

  /// The column of the number of the save that last changed the row: `_version` unless a property
  /// has that name.
  let versionName: String

  /// The column of the version, as SQL text.
  let version: String

  /// The version of a row as a query reads it: the column, or a constant in a file that lacks it.
  let versionValue: String

  /// The columns of the properties.
  let columns: [ColumnMap]

  /// The indexes of words that the schema asks for.
  let searchIndexes: [SearchIndexMap]

  /// Those of them that the file has and the library can use.
  let liveSearchIndexes: [SearchIndexMap]

  /// The entities whose rows the table holds, the root among them.
  let entities: [StoreEntity]

  init(
    name: String,
    keyName: String,
    entityColumnName: String?,
    versionName: String,
    hasVersions: Bool,
    columns: [ColumnMap],
    entities: [StoreEntity],
    searched: [ColumnMap],
    liveSearches: Set<String>
  ) throws {
    self.name = name
    self.sql = try SQLIdentifier.quoted(name)
    self.keyName = keyName
    self.key = try SQLIdentifier.quoted(keyName)
    self.entityColumnName = entityColumnName
    self.entityColumn = try entityColumnName.map { try SQLIdentifier.quoted($0) }
    self.versionName = versionName
    version = try SQLIdentifier.quoted(versionName)
    versionValue = hasVersions ? version : "1"
    self.columns = columns
    self.entities = entities
    let (sql, key) = (sql, key)
    searchIndexes = searched.map { SearchIndexMap(of: $0, in: name, sql: sql, key: key) }
    liveSearchIndexes = searchIndexes.filter { liveSearches.contains($0.name) }
  }
}

/// The table of a to-many relationship whose members do not say themselves where they belong.
struct JoinMap: Hashable, Sendable {
  /// The table's name: the entity that declares the property, a point, and the property.
  let name: String

  /// The name as SQL text.
  let sql: String

  /// The table of the rows that have the relationship.
  let ownerTable: String

  /// The table of the rows that are its members.
  let memberTable: String

  /// The entity that the members belong to.
  let memberEntity: String
}

/// Where the properties of one entity are stored.
final class EntityMap: Sendable {
  /// Where one property is stored.
  enum Place: Sendable {
    /// A column of the entity's table, by its position there.
    case column(Int)

    /// A table of its own.
    case join(JoinMap)

    /// Nowhere: the property is ephemeral.
    case nowhere
  }

  let entity: StoreEntity
  let table: TableMap

  /// Where each property is stored, in the order of the entity's properties.
  let places: [Place]

  /// The entity's family: the names that its rows may have in the entity column.
  let family: [String]

  init(entity: StoreEntity, table: TableMap, places: [Place], family: [String]) {
    self.entity = entity
    self.table = table
    self.places = places
    self.family = family
  }

  /// The column of a property, nil where it has a table of its own or does not exist.
  func column(of property: String) -> ColumnMap? {
    guard let index = entity.indexByName[property], case .column(let position) = places[index]
    else { return nil }
    return table.columns[position]
  }

  /// The table of a property, nil where it is a column.
  func join(of property: String) -> JoinMap? {
    guard let index = entity.indexByName[property], case .join(let join) = places[index]
    else { return nil }
    return join
  }
}
