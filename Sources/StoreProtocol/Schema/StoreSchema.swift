/// All entities of a store as plain values, without model types.
///
/// A store keeps its schema beside the data, so that tools can read the data without the models.
public final class StoreSchema: Sendable {
  /// The version that the program assigned to its schema, such as `1.0.0`.
  public let version: String
  /// The entities, ordered by name.
  public let entities: [StoreEntity]
  private let byName: [String: StoreEntity]
  private let families: [String: [StoreEntity]]

  /// Creates a schema from entities with unique names.
  package init(version: String = "1.0.0", entities: [StoreEntity]) {
    self.version = version
    self.entities = entities.sorted { $0.name < $1.name }
    let named = Dictionary(firstOf: entities.map { ($0.name, $0) })
    byName = named
    var families: [String: [StoreEntity]] = [:]
    for entity in self.entities {
      var name: String? = entity.name
      var visited: Set<String> = []
      while let current = name, visited.insert(current).inserted {
        families[current, default: []].append(entity)
        name = named[current]?.superentity
      }
    }
    self.families = families
  }

  /// Returns the entity with a name, or `nil` if there is none.
  public func entity(named name: String) -> StoreEntity? { byName[name] }

  /// Returns the entity with a name, which must exist.
  ///
  /// - Throws: ``DataStoreError/schemaMismatch`` if the schema lacks it.
  public func requiredEntity(_ name: String) throws -> StoreEntity {
    if let entity = byName[name] { return entity }
    throw DataStoreError(.schemaMismatch, "the schema lacks this entity", entity: name)
  }

  /// Returns an entity and all entities that inherit from it, ordered by name.
  public func family(of name: String) -> [StoreEntity] { families[name] ?? [] }

  /// Returns the properties that an entity does not inherit.
  package func ownProperties(of entity: StoreEntity) -> [StoreProperty] {
    let above = entity.superentity.flatMap(self.entity(named:))
    return entity.properties.filter { above?.property(named: $0.name) == nil }
  }

  /// Returns whether one entity is another or inherits from it.
  public func isEntity(_ name: String, kindOf ancestor: String) -> Bool {
    var current: String? = name
    var steps = 0
    while let entity = current, steps <= entities.count {
      if entity == ancestor { return true }
      current = byName[entity]?.superentity
      steps += 1
    }
    return false
  }
}

extension StoreSchema: Equatable, Codable {
  private enum CodingKeys: String, CodingKey { case version, entities }

  /// Compares the versions and the entities.
  public static func == (lhs: StoreSchema, rhs: StoreSchema) -> Bool {
    lhs === rhs || (lhs.version == rhs.version && lhs.entities == rhs.entities)
  }

  /// Decodes a stored schema and validates it.
  ///
  /// - Throws: ``DataStoreError/storeDamaged`` with the inconsistent entity and property, and
  ///   `DecodingError` for anything other than a schema.
  public convenience init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    let entities = try container.decode([StoreEntity.Coded].self, forKey: .entities).map(\.entity)
    try SchemaCheck.run(entities, kind: .storeDamaged)
    self.init(version: try container.decode(String.self, forKey: .version), entities: entities)
  }

  /// Encodes the version and the entities.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    try container.encode(version, forKey: .version)
    try container.encode(entities.map(StoreEntity.Coded.init), forKey: .entities)
  }
}
