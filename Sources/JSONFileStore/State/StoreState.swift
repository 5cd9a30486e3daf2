import StoreHelpers
import StoreProtocol

/// The in-memory state of a store, as one value.
///
/// A reader copies it and continues while a writer changes the store's own copy: arrays are shared
/// until one of them changes.
struct StoreState: Sendable {
  /// The entities of the schema, in its order.
  var tables: [StoredTable]
  /// The bytes of the document, as long as some rows were not read from it.
  var source: [UInt8]
  /// The upper limit of the keys in the document, which no row reaches.
  var sourceNextKey: Int64
  /// The key of the next new row.
  var nextKey: Int64
  /// The number of the last save of this process; the state at opening counts as the first.
  var saves: Int64 = 1
  /// The history of the saves.
  var history = History()
  /// The rows by their unique values, for each requested constraint; see `TableMap`.
  var uniqueRows: [[UniqueKey: Int64]?] = []
  /// The number of the first tables none of which is text, so that no load examines all tables.
  private var loadedTables = 0

  /// Creates the state of a document.
  ///
  /// - Parameters:
  ///   - tables: The entities of the schema, in its order.
  ///   - source: The bytes of the document, if some rows are not read from it yet.
  ///   - nextKey: The key of the next new row.
  init(_ tables: [StoredTable], source: [UInt8] = [], nextKey: Int64) {
    self.tables = tables
    self.source = source
    sourceNextKey = nextKey
    self.nextKey = nextKey
  }

  /// Loads the rows of an entity from the document, unless they are loaded.
  mutating func load(_ index: Int, file: String) throws {
    if case .rows = tables[index].content { return }
    let table = try tables[index].loaded(from: source, nextKey: sourceNextKey, file: file)
    tables[index].content = .rows(table)
    releaseSource()
  }

  /// Loads the rows of all entities.
  mutating func loadAll(file: String) throws {
    for index in tables.indices { try load(index, file: file) }
  }

  /// Releases the document's text if all rows are loaded.
  mutating func releaseSource() {
    while loadedTables < tables.count {
      if tables[loadedTables].isText { return }
      loadedTables += 1
    }
    source = []
  }

  /// Returns the table and the slot of a row, found by its key anywhere in its hierarchy.
  ///
  /// The rows of the searched entities are then loaded.
  mutating func find(
    _ identifier: PersistentIdentifier,
    in map: TableMap,
    file: String
  ) throws -> (table: Int, slot: Int)? {
    guard let key = identifier.integerKey else { return nil }
    for index in try map.hierarchy(of: identifier.entityName) {
      try load(index, file: file)
      if case .rows(let table) = tables[index].content, let slot = table.slot(of: key) {
        return (index, slot)
      }
    }
    return nil
  }

  /// Returns the identifier of a row of a table.
  func identifier(_ key: Int64, in table: Int) -> PersistentIdentifier {
    PersistentIdentifier(scope: tables[table].scope, key: .integer(key))
  }

  /// Changes the rows of an entity in place; they must be loaded.
  mutating func withTable(_ index: Int, _ body: (inout Table) -> Void) {
    guard case .rows(var table) = tables[index].content else { return }
    // The enumeration must not keep a second reference, or each change copies all columns.
    tables[index].content = .absent
    body(&table)
    tables[index].content = .rows(table)
  }

  mutating func eraseRows() {
    for index in tables.indices { tables[index].content = .absent }
    source = []
    uniqueRows = []
  }
}

/// A constraint as it applies to the rows of one table.
struct TableConstraint: Sendable {
  /// The index of the constraint in `TableMap.constraints`.
  let number: Int
  /// The indices of its properties.
  let properties: [Int]
  /// The properties that refer to a row, with the tables that can contain that row.
  let references: [(property: Int, tables: [Int])]
}

/// The indices of a schema's entities in a store's tables.
///
/// It is a class because each save passes it on.
final class TableMap: Sendable {
  let schema: StoreSchema
  private let indexByName: [String: Int]
  /// The tables of each entity and of the entities that inherit from it.
  private let families: [String: [Int]]
  /// The tables of each entity's whole hierarchy.
  private let hierarchies: [String: [Int]]
  /// All constraints, which are identified by their indices.
  let constraints: [StoreConstraint]
  let tableConstraints: [[TableConstraint]]
  /// The properties of each table that are unique, alone or with others.
  let uniqueProperties: [Set<Int>]
  /// The lists of properties by which the rows of each table can be indexed, each list in its
  /// order.
  let indexes: [[[Int]]]
  /// The storage types of the properties of each table.
  let types: [[CellType]]
  /// The properties of each table whose values may contain references.
  let references: [[Int]]
  /// Whether values may be in files.
  let hasFiles: Bool
  /// Whether the history keeps values of any deleted rows.
  let hasPreservedValues: Bool
  /// The tables that each property of each table refers to.
  let destinations: [[[Int]]]

  init(_ schema: StoreSchema) {
    self.schema = schema
    let indices = Dictionary(firstOf: schema.entities.enumerated().map { ($1.name, $0) })
    indexByName = indices
    var families: [String: [Int]] = [:]
    var hierarchies: [String: [Int]] = [:]
    for entity in schema.entities {
      families[entity.name] = schema.family(of: entity.name).compactMap { indices[$0.name] }
    }
    // All entities of a hierarchy share one list: a file may have thousands of them.
    for entity in schema.entities { hierarchies[entity.name] = families[entity.root] ?? [] }
    self.families = families
    self.hierarchies = hierarchies
    types = schema.entities.map { entity in
      entity.properties.map { CellType($0, in: entity) }
    }
    references = types.map { types in
      types.indices.filter { [.reference, .references, .codable].contains(types[$0]) }
    }
    hasFiles = types.contains { $0.contains(.external) }
    hasPreservedValues = schema.entities.contains { $0.properties.contains(where: \.isPreserved) }
    indexes = schema.entities.map(Self.indexes)
    let allFamilies = families
    destinations = schema.entities.map { entity in
      entity.properties.map { allFamilies[$0.relationship?.destination ?? ""] ?? [] }
    }
    let lists = schema.entities.map { schema.constraints(of: $0) }
    let constraints = Array(Set(lists.joined()))
    self.constraints = constraints
    let numbers = Dictionary(firstOf: constraints.enumerated().map { ($1, $0) })
    tableConstraints = zip(schema.entities, lists).map { entity, list in
      list.compactMap { constraint in
        guard let number = numbers[constraint] else { return nil }
        let properties = constraint.properties.compactMap { entity.indexByName[$0] }
        return TableConstraint(
          number: number,
          properties: properties,
          references: properties.filter { entity.properties[$0].isToOne }.map { index in
            (index, allFamilies[entity.properties[index].relationship?.destination ?? ""] ?? [])
          }
        )
      }
    }
    uniqueProperties = tableConstraints.map { Set($0.flatMap(\.properties)) }
  }

  /// Returns the property lists of the program's indexes and of unique values, as far as they are
  /// ordered.
  private static func indexes(of entity: StoreEntity) -> [[Int]] {
    let unique = entity.properties.filter(\.isUnique).map { [$0.name] }
    var lists: [[Int]] = []
    for names in entity.indices + entity.uniquenessConstraints + unique {
      let indexes = names.compactMap { entity.indexByName[$0] }
      let list = Array(indexes.prefix { CellType(entity.properties[$0], in: entity).isOrdered })
      if indexes.count == names.count, !list.isEmpty, !lists.contains(list) { lists.append(list) }
    }
    return lists
  }

  /// Returns the table of an entity, without the entities that inherit from it.
  func table(of entity: String) throws -> Int {
    guard let index = indexByName[entity] else { throw Self.unknown(entity) }
    return index
  }

  /// Returns the tables of an entity and of all entities that inherit from it.
  func family(of entity: String) throws -> [Int] {
    guard let family = families[entity] else { throw Self.unknown(entity) }
    return family
  }

  /// Returns the tables that can contain a row to which an entity of the hierarchy refers.
  func hierarchy(of entity: String) throws -> [Int] {
    guard let hierarchy = hierarchies[entity] else { throw Self.unknown(entity) }
    return hierarchy
  }

  private static func unknown(_ entity: String) -> DataStoreError {
    DataStoreError(.schemaMismatch, "the store's schema lacks the entity", entity: entity)
  }
}
