import RowChanges
import SQLTranslation
import StoreProtocol

/// The mapping of a store's schema.
final class StoreMap: Sendable {
  let catalog: Catalog
  let storeIdentifier: String
  /// The quoted name of the database's schema.
  let space: String
  /// The part that all stores with the schema share.
  let shared: SchemaMap
  /// The number of changes to the store's schema before the store was opened, or `nil` if it is not
  /// open.
  private let structure: Int64?

  /// Creates the mapping of a store in a schema of the database, whose name is quoted.
  ///
  /// Most of it is that of all stores with the schema. Names of tables contain ``Statement/schema``.
  init(_ map: SchemaMap, storeIdentifier: String, space: String, structure: Int64? = nil) {
    self.structure = structure
    self.storeIdentifier = storeIdentifier
    self.space = space
    shared = map
    catalog = map.catalog.shared(byStore: storeIdentifier)
  }

  /// The condition that no other program has changed the schema, or `nil` if the store is not open.
  ///
  /// A statement that contains it fails otherwise, before its first row: no such table exists.
  var unchangedSchema: String? {
    structure.map {
      "(SELECT CASE WHEN structure = CAST('\($0)' AS int8) THEN true ELSE "
        + "('migrated_' || structure::text)::regclass IS NOT NULL END FROM \(space)._meta)"
    }
  }

  /// The tables by the names of their topmost entities.
  var tables: [String: EntityTable] { shared.tables }

  /// The tables in the order of their names.
  var sortedTables: [EntityTable] { shared.sortedTables }

  /// Returns the table of an entity's rows.
  ///
  /// - Throws: ``DataStoreError/schemaMismatch`` if the schema lacks the entity.
  func table(of entity: String) throws -> EntityTable {
    let entity = try catalog.schema.requiredEntity(entity)
    guard let table = tables[entity.root] else {
      throw DataStoreError(.schemaMismatch, "the entity has no table", entity: entity.name)
    }
    return table
  }
}

extension StoreMap: TranslationCatalog {
  var schema: StoreSchema { catalog.schema }

  func entity(named name: String) throws -> EntityMap {
    if let entity = shared.entities[name] { return entity }
    throw DataStoreError(.schemaMismatch, "the store's schema lacks this entity", entity: name)
  }

  func scope(of entity: String) throws -> PersistentIdentifier.Scope {
    try catalog.scope(of: self.entity(named: entity).entity)
  }
}
