import StoreProtocol

/// The steps from a file's schema to a program's, where adding is all that it takes.
struct SchemaChange {
  /// The statements, in order.
  private(set) var steps: [String] = []

  /// Questions whose answer must be zero rows, with what to say when it is not.
  private(set) var checks: [(sql: String, error: DataStoreError)] = []

  private let old: SchemaMap
  private let new: SchemaMap

  /// Works out the steps.
  ///
  /// - Throws: ``DataStoreError/schemaMismatch`` with the first thing that would lose or invent
  ///   data, or ``DataStoreError/storeTooNew`` when the file's schema is a later version.
  init(from old: SchemaMap, to new: SchemaMap) throws {
    self.old = old
    self.new = new
    do {
      for entity in old.schema.entities { try compare(entity) }
      for table in old.tables { returnValues(of: table) }
      for table in new.tables { try addTable(table) }
      for join in new.joins where !old.joins.contains(join) { steps.append(new.creation(of: join)) }
      try changeIndexes()
    } catch let error as DataStoreError where Self.isLater(old.schema, than: new.schema) {
      throw DataStoreError(
        .storeTooNew,
        "the store has version \(old.schema.version) of the schema and the program "
          + "\(new.schema.version); update the program",
        entity: error.entity,
        property: error.property,
        cause: error
      )
    }
  }

  private static func isLater(_ first: StoreSchema, than second: StoreSchema) -> Bool {
    let parts = { (schema: StoreSchema) in schema.version.split(separator: ".").map { Int($0) ?? 0 }
    }
    return parts(second).lexicographicallyPrecedes(parts(first))
  }

  private func mismatch(
    _ message: String,
    _ entity: StoreEntity,
    _ property: StoreProperty? = nil
  ) -> DataStoreError {
    DataStoreError(
      .schemaMismatch,
      "\(message); a migration is needed",
      entity: entity.name,
      property: property?.name
    )
  }

  /// Whatever the file has of an entity, the program must have too, in the same place.
  private mutating func compare(_ entity: StoreEntity) throws {
    guard let changed = new.schema.entity(named: entity.name) else {
      throw mismatch("the program's schema lacks the entity", entity)
    }
    guard changed.root == entity.root, changed.superentity == entity.superentity else {
      throw mismatch("the entity inherits from another", entity)
    }
    let before = try old.entity(named: entity.name)
    let after = try new.entity(named: entity.name)
    for property in entity.properties {
      guard let other = changed.property(named: property.name) else {
        throw mismatch("the program's schema lacks the property", entity, property)
      }
      guard before.storage(of: property.name) == after.storage(of: property.name) else {
        throw mismatch("the property is stored in another way", entity, property)
      }
      if property.isOptional, !other.isOptional, let column = after.column(of: property.name) {
        if case .value = column.content { requireValues(of: column, other, after) }
      }
    }
    for property in changed.properties where entity.indexByName[property.name] == nil {
      guard !property.isOptional, let column = after.column(of: property.name) else { continue }
      if case .value = column.content { requireNoRows(property, after) }
    }
  }

  private mutating func requireValues(
    of column: ColumnMap,
    _ property: StoreProperty,
    _ map: EntityMap
  ) {
    let condition = [map.entityCondition, "\(column.sql) IS NULL"].compactMap { $0 }
    checks.append(
      (
        "SELECT 1 FROM \(map.table.sql) WHERE \(condition.joined(separator: " AND ")) LIMIT 1",
        mismatch("the property is required and some rows have no value", map.entity, property)
      )
    )
  }

  private mutating func requireNoRows(_ property: StoreProperty, _ map: EntityMap) {
    let condition = map.entityCondition.map { " WHERE \($0)" } ?? ""
    checks.append(
      (
        "SELECT 1 FROM \(map.table.sql)\(condition) LIMIT 1",
        mismatch("the new property is required and there are rows", map.entity, property)
      )
    )
  }

  /// Brings values that lie in files into their rows where an index will have them.
  private mutating func returnValues(of table: TableMap) {
    for column in table.fileColumns {
      let entities = new.table(named: table.name)?.entities ?? []
      let isIndexed = entities.contains { entity in
        guard let map = try? new.entity(named: entity.name) else { return false }
        return entity.properties.contains {
          map.column(of: $0.name) == column && $0.mustStayInRow(in: entities)
        }
      }
      if isIndexed { steps += FileColumns.returning(column, in: table) }
    }
  }

  private mutating func addTable(_ table: TableMap) throws {
    guard let existing = old.table(named: table.name) else {
      steps.append(new.creation(of: table))
      return
    }
    if let entityColumn = table.entityColumn, existing.entityColumn == nil {
      steps.append("ALTER TABLE \(table.sql) ADD COLUMN \(entityColumn) TEXT")
      steps.append("UPDATE \(table.sql) SET \(entityColumn) = \(SQLText.literal(table.name))")
    }
    for column in table.columns where !existing.columns.contains(column) {
      steps.append("ALTER TABLE \(table.sql) ADD COLUMN \(new.declaration(of: column))")
    }
  }

  private mutating func changeIndexes() throws {
    let before = try old.indexes()
    let after = try new.indexes()
    for index in before where !after.contains(index) {
      steps.insert("DROP INDEX \(SQLIdentifier.quotedComposite(index.name))", at: 0)
    }
    for index in after where !before.contains(index) { steps.append(index.sql) }
  }
}

extension EntityMap {
  /// What of a property's place must stay the same.
  fileprivate enum Storage: Equatable {
    case column(ColumnMap)
    case join(JoinMap)
    case nowhere
  }

  fileprivate func storage(of property: String) -> Storage {
    if let column = column(of: property) { return .column(column) }
    return join(of: property).map(Storage.join) ?? .nowhere
  }
}
