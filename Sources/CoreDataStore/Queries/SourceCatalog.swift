import CoreDataFiles
import SQLTranslation
import StoreProtocol

/// The columns that SQL compares and orders as Swift does, by entity.
///
/// Its entities lack all other properties, so that the evaluator computes what needs them.
struct SourceCatalog: TranslationCatalog {
  let schema: StoreSchema
  private let storeIdentifier: String
  private var maps: [String: EntityMap] = [:]

  init(
    _ schema: StoreSchema,
    _ model: ManagedModel,
    _ layout: SourceLayout,
    storeIdentifier: String
  ) {
    self.schema = schema
    self.storeIdentifier = storeIdentifier
    let tables = Dictionary(grouping: schema.entities) { layout.entities[$0.name]?.table }
    for case (let table?, let entities) in tables {
      addMaps(of: entities, in: table, model, layout)
    }
  }

  /// Adds the maps of the entities of a hierarchy.
  private mutating func addMaps(
    of entities: [StoreEntity],
    in table: String,
    _ model: ManagedModel,
    _ layout: SourceLayout
  ) {
    var columns: [ColumnMap] = []
    let parts = entities.map { entity in
      let known = Self.columns(of: entity, schema, model, layout)
      let storage = known.indices.map { EntityMap.PropertyStorage.column(columns.count + $0) }
      columns += known.map(\.column)
      let part = StoreEntity(
        name: entity.name,
        superentity: entity.superentity,
        root: entity.root,
        properties: known.map(\.property)
      )
      return (part, storage)
    }
    // A table may have rows of entities that the schema lacks, so that all tests of families are
    // needed.
    let others = StoreEntity(name: "", properties: [])
    let map = TableMap(
      name: table,
      sql: SourceReader.quoted(table),
      key: ("Z_PK", "Z_PK"),
      entity: ("Z_ENT", "Z_ENT"),
      version: ("Z_OPT", "Z_OPT"),
      columns: columns,
      entities: entities + [others]
    )
    for (entity, storage) in parts {
      let numbers = schema.family(of: entity.name).compactMap { layout.entities[$0.name]?.number }
      maps[entity.name] = EntityMap(
        entity: entity,
        table: map,
        storage: storage,
        family: numbers.map(String.init)
      )
    }
  }

  private static func columns(
    of entity: StoreEntity,
    _ schema: StoreSchema,
    _ model: ManagedModel,
    _ layout: SourceLayout
  ) -> [(property: StoreProperty, column: ColumnMap)] {
    let plan = RowPlan(
      [entity.name],
      schema: schema,
      model: model,
      layout: layout,
      keepsURIs: false
    )
    return zip(entity.properties, plan?.entities.values.first?.sources ?? [])
      .compactMap { property, source in
        column(of: property, source, schema, layout).map { (property, $0) }
      }
  }

  func entity(named name: String) throws -> EntityMap {
    guard let map = maps[name] else {
      throw DataStoreError(.schemaMismatch, "the store has no table of this entity", entity: name)
    }
    return map
  }

  func scope(of entity: String) -> PersistentIdentifier.Scope {
    PersistentIdentifier.Scope(storeIdentifier: storeIdentifier, entityName: entity)
  }

  /// Returns the column of a property, or `nil` if it has none, or several, or if SQL compares the
  /// values differently.
  private static func column(
    of property: StoreProperty,
    _ source: RowPlan.Source,
    _ schema: StoreSchema,
    _ layout: SourceLayout
  ) -> ColumnMap? {
    let (name, content): (String, ColumnMap.Content)
    switch source {
    case .attribute(let attribute, let columns):
      guard let type = property.attributeType, let single = columns.single(of: attribute),
        type.comparesInSQL(storedAs: single.type)
      else { return nil }
      (name, content) = (single.name, .value(type))
    case .reference(let column, _, _):
      guard let entity = property.relationship?.destination, schema.entity(named: entity) != nil,
        let target = layout.entities[entity]
      else { return nil }
      (name, content) = (column, .reference(table: target.table, entity: entity))
    case .list, .uri, .absent: return nil
    }
    return ColumnMap(name: name, sql: SourceReader.quoted(name), content: content)
  }
}

extension SourceLayout.AttributeColumns {
  /// Returns the only column of an attribute, which may be that of an enumeration's raw value.
  fileprivate func single(
    of attribute: ManagedModel.Attribute
  ) -> (type: ManagedModel.AttributeType, name: String)? {
    switch self {
    case .column(let name): return (attribute.type, name)
    case .elements(let elements):
      guard let raw = attribute.rawValue, elements.count == 1,
        case .column(let name)? = elements.first?.1
      else { return nil }
      return (raw.type, name)
    case .none: return nil
    }
  }
}

extension AttributeType {
  /// Whether SQL compares values that Core Data stores as a type as Swift compares those of this type.
  fileprivate func comparesInSQL(storedAs stored: ManagedModel.AttributeType) -> Bool {
    switch (self, stored) {
    case (_, .integer16), (_, .integer32), (_, .integer64): self == .bool || isInteger
    case (.bool, .boolean), (.double, .double), (.date, .date), (.string, .string), (.string, .uri),
      (.url, .uri), (.url, .string), (.uuid, .uuid):
      true
    default: false
    }
  }
}
