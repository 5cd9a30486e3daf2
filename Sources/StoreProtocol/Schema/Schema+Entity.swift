extension Schema {
  /// An entity of a schema: the stored form of one model type.
  ///
  /// It is a class, as in SwiftData; treat an entity of a schema as immutable.
  // Unchecked: SwiftData's interface has mutable members. A schema uses its plain form, so a
  // program that changes an entity changes only its own copy.
  public final class Entity: Codable, Hashable, CustomDebugStringConvertible, @unchecked Sendable {
    /// The entity's name.
    public var name: String
    /// The entities that inherit from this one.
    public var subentities: Set<Entity> = []
    /// The name of the superentity, or `nil` if there is none.
    public var superentityName: String?
    /// The superentity, or `nil` if there is none.
    public weak var superentity: Entity?
    /// The properties that the entity declares itself.
    public var storedProperties: [any SchemaProperty] = []
    /// The properties that the entity inherits.
    public var inheritedProperties: [any SchemaProperty] = []
    /// The lists of property names whose combined values are unique.
    public var uniquenessConstraints: [[String]] = []
    /// The lists of property names that are indexed.
    public var indices: [[String]] = []

    /// Creates an entity without properties.
    public init(_ name: String) {
      self.name = name
    }

    /// Creates an entity with properties.
    public convenience init(_ name: String, properties: any SchemaProperty...) {
      self.init(name)
      storedProperties = properties
    }

    /// Creates an entity with properties and subentities.
    public convenience init(
      _ name: String,
      subentities: Entity...,
      properties: any SchemaProperty...
    ) {
      self.init(name)
      storedProperties = properties
      self.subentities = Set(subentities)
      for entity in subentities {
        entity.superentityName = name
        entity.inheritedProperties = properties
      }
    }

    private enum CodingKeys: String, CodingKey {
      case name, superentityName, attributes, relationships, uniquenessConstraints, indices
    }

    /// Decodes an entity with its own properties.
    public init(from decoder: any Decoder) throws {
      let container = try decoder.container(keyedBy: CodingKeys.self)
      name = try container.decode(String.self, forKey: .name)
      superentityName = try container.decodeIfPresent(String.self, forKey: .superentityName)
      let attributes = try container.decode([Attribute].self, forKey: .attributes)
      let relationships = try container.decode([Relationship].self, forKey: .relationships)
      storedProperties = attributes + relationships
      uniquenessConstraints = try container.decode([[String]].self, forKey: .uniquenessConstraints)
      indices = try container.decode([[String]].self, forKey: .indices)
    }

    /// Encodes the entity with its own properties.
    public func encode(to encoder: any Encoder) throws {
      var container = encoder.container(keyedBy: CodingKeys.self)
      try container.encode(name, forKey: .name)
      try container.encodeIfPresent(superentityName, forKey: .superentityName)
      try container.encode(storedProperties.compactMap { $0 as? Attribute }, forKey: .attributes)
      let relationships = storedProperties.compactMap { $0 as? Relationship }
      try container.encode(relationships, forKey: .relationships)
      try container.encode(uniquenessConstraints, forKey: .uniquenessConstraints)
      try container.encode(indices, forKey: .indices)
    }

    /// Compares names: a schema has one entity for each name.
    public static func == (lhs: Entity, rhs: Entity) -> Bool { lhs.name == rhs.name }

    /// Hashes the name.
    public func hash(into hasher: inout Hasher) { hasher.combine(name) }

    /// The name and the names of the properties.
    public var debugDescription: String {
      "\(name)(\(properties.map(\.name).joined(separator: ", ")))"
    }
  }
}

extension Schema.Entity {
  /// The inherited properties followed by the entity's own properties.
  public var properties: [any SchemaProperty] { inheritedProperties + storedProperties }
  /// All attributes.
  public var attributes: Set<Schema.Attribute> {
    Set(properties.compactMap { $0 as? Schema.Attribute })
  }
  /// All relationships.
  public var relationships: Set<Schema.Relationship> {
    Set(properties.compactMap { $0 as? Schema.Relationship })
  }
  /// All attributes by name.
  public var attributesByName: [String: Schema.Attribute] {
    Dictionary(firstOf: attributes.map { ($0.name, $0) })
  }
  /// All relationships by name.
  public var relationshipsByName: [String: Schema.Relationship] {
    Dictionary(firstOf: relationships.map { ($0.name, $0) })
  }
  /// The entity's own properties by name.
  public var storedPropertiesByName: [String: any SchemaProperty] {
    Dictionary(firstOf: storedProperties.map { ($0.name, $0) })
  }
  /// The inherited properties by name.
  public var inheritedPropertiesByName: [String: any SchemaProperty] {
    Dictionary(firstOf: inheritedProperties.map { ($0.name, $0) })
  }
}
