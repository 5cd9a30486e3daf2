import PostgreSQLClient
import RowChanges
import StoreProtocol

/// What a store works out once from its schema.
struct StoreMap: Sendable {
  let catalog: Catalog
  /// The quoted name of the database's schema.
  let space: String
  /// The tables by the names of their topmost entities.
  let tables: [String: TableMap]

  init(_ schema: StoreSchema, storeIdentifier: String, databaseSchema: String) throws {
    catalog = Catalog(schema, storeIdentifier: storeIdentifier)
    let space = try SQLName.quoted(databaseSchema)
    self.space = space
    let roots = schema.entities.filter { $0.root == $0.name }
    tables = try Dictionary(
      uniqueKeysWithValues: roots.map { ($0.name, try TableMap(root: $0, in: schema, space)) }
    )
  }

  /// The table of an entity's rows.
  ///
  /// - Throws: ``DataStoreError/schemaMismatch`` if the schema lacks the entity.
  func table(of entity: String) throws -> TableMap {
    let entity = try catalog.entity(named: entity)
    guard let table = tables[entity.root] else {
      throw DataStoreError(.schemaMismatch, "the entity has no table", entity: entity.name)
    }
    return table
  }

  /// The tables in the order of their names.
  var sortedTables: [TableMap] { tables.values.sorted { $0.root < $1.root } }
}
