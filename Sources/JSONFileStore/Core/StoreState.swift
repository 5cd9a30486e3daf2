import StoreProtocol

/// All that a store knows in memory, as one value.
///
/// A reader copies it and goes on while a writer changes the store's own: arrays are shared
/// until one of both changes them.
struct StoreState: Sendable {
  /// The entities of the schema in its order.
  var tables: [StoredTable]
  /// The bytes of the document, as long as some rows were not read from it.
  var source: [UInt8]
  /// The key that no row of the document reaches.
  var sourceNextKey: Int64
  /// The key of the next new row.
  var nextKey: Int64
  /// The number of the last save of this process; what it found when it opened the store is the
  /// first.
  var saves: Int64 = 1
  /// What saves changed.
  var history = History()
  /// The rows by their unique values, for each constraint that was asked for; see `TableMap`.
  var uniqueRows: [[UniqueKey: Int64]?] = []

  /// The rows of an entity; they are read from the document where they were not.
  mutating func load(_ index: Int, file: String) throws {
    guard tables[index].table == nil else { return }
    let table = try tables[index].loaded(from: source, nextKey: sourceNextKey, file: file)
    tables[index].content = .rows(table)
    letGoOfSource()
  }

  /// Forgets the document's text where no rows stand in it alone.
  mutating func letGoOfSource() {
    let isNeeded = tables.contains { if case .text = $0.content { true } else { false } }
    if !isNeeded { source = [] }
  }

  /// Changes the rows of an entity in place; they must have been loaded.
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

/// A constraint as the rows of one table obey it.
struct TableConstraint: Sendable {
  /// The place of the constraint in `TableMap.constraints`.
  let number: Int
  /// The positions of its properties.
  let properties: [Int]
  /// Those that refer to a row, with the tables in which that row can be.
  let references: [(property: Int, tables: [Int])]
}

/// The places of the entities of a schema in a store's tables.
///
/// A class, since each save hands it on.
final class TableMap: Sendable {
  let schema: StoreSchema
  private let indexByName: [String: Int]
  /// The tables of each entity with those that inherit from it.
  private let families: [String: [Int]]
  /// The tables of each entity's whole hierarchy.
  private let hierarchies: [String: [Int]]
  /// All constraints, which others name by their place here.
  let constraints: [StoreConstraint]
  /// For each table its constraints.
  let tableConstraints: [[TableConstraint]]
  /// For each table the properties by which its rows can be indexed, each list in its order.
  let indexes: [[[Int]]]
  /// For each table how the values of its properties are kept.
  let types: [[CellType]]
  /// For each table and property the tables in which the rows are that it refers to.
  let destinations: [[[Int]]]

  init(_ schema: StoreSchema) {
    self.schema = schema
    let indices = Dictionary(
      schema.entities.enumerated().map { ($1.name, $0) },
      uniquingKeysWith: { first, _ in first }
    )
    indexByName = indices
    var families: [String: [Int]] = [:]
    var hierarchies: [String: [Int]] = [:]
    for entity in schema.entities {
      families[entity.name] = schema.family(of: entity.name).compactMap { indices[$0.name] }
      hierarchies[entity.name] = schema.family(of: entity.root).compactMap { indices[$0.name] }
    }
    self.families = families
    self.hierarchies = hierarchies
    types = schema.entities.map { entity in
      entity.properties.map { CellType($0, in: entity) }
    }
    indexes = schema.entities.map(Self.indexes)
    let known = families
    destinations = schema.entities.map { entity in
      entity.properties.map { known[$0.relationship?.destination ?? ""] ?? [] }
    }
    let lists = schema.entities.map { schema.constraints(of: $0) }
    let constraints = Array(Set(lists.joined()))
    self.constraints = constraints
    tableConstraints = zip(schema.entities, lists).map { entity, list in
      list.compactMap { constraint in
        guard let number = constraints.firstIndex(of: constraint) else { return nil }
        let properties = constraint.properties.compactMap { entity.indexByName[$0] }
        return TableConstraint(
          number: number,
          properties: properties,
          references: properties.filter { entity.properties[$0].isToOne }.map { index in
            (index, known[entity.properties[index].relationship?.destination ?? ""] ?? [])
          }
        )
      }
    }
  }

  /// What the program wants to be found quickly, and what is unique, as far as it has an order.
  private static func indexes(of entity: StoreEntity) -> [[Int]] {
    let unique = entity.properties.filter(\.isUnique).map { [$0.name] }
    var lists: [[Int]] = []
    for names in entity.indices + entity.uniquenessConstraints + unique {
      let known = names.compactMap { entity.indexByName[$0] }
      let list = Array(known.prefix { CellType(entity.properties[$0], in: entity).isOrdered })
      if known.count == names.count, !list.isEmpty, !lists.contains(list) { lists.append(list) }
    }
    return lists
  }

  /// The table of an entity alone.
  func table(of entity: String) throws -> Int {
    guard let index = indexByName[entity] else { throw Self.unknown(entity) }
    return index
  }

  /// The tables of an entity and of all that inherit from it.
  func family(of entity: String) throws -> [Int] {
    guard let family = families[entity] else { throw Self.unknown(entity) }
    return family
  }

  /// The tables in which a row can be that is referred to by any entity of its hierarchy.
  func hierarchy(of entity: String) throws -> [Int] {
    guard let hierarchy = hierarchies[entity] else { throw Self.unknown(entity) }
    return hierarchy
  }

  private static func unknown(_ entity: String) -> DataStoreError {
    DataStoreError(.schemaMismatch, "the store's schema lacks the entity", entity: entity)
  }
}
