/// An entity as stores see it: plain values without a model type.
///
/// Values of a row are in the order of ``properties``: the inherited ones first, then the entity's
/// own in the order of their declaration.
public final class StoreEntity: Sendable {
  /// The entity's name, unique in its schema.
  public let name: String
  /// The name of the superentity, or `nil` if there is none.
  public let superentity: String?
  /// The name of the topmost entity of the hierarchy; the entity's own name if it inherits from
  /// none.
  package let root: String
  /// All properties, inherited ones first.
  public let properties: [StoreProperty]
  /// The lists of property names whose combined values are unique, including inherited ones.
  package let uniquenessConstraints: [[String]]
  /// The lists of property names to index, including inherited ones.
  public let indices: [[String]]
  /// The index of each property by its name.
  public let indexByName: [String: Int]
  /// The names of the properties, shared by all snapshots of the entity.
  package let propertyNames: PropertyNames

  /// Creates an entity without the ephemeral attributes among the properties, which no store keeps.
  ///
  /// Constraints and indexes that name one are left out as well. A program may add or remove such an
  /// attribute without a migration, also in a store whose schema was written with them.
  package init(
    name: String,
    superentity: String? = nil,
    root: String? = nil,
    properties: [StoreProperty],
    uniquenessConstraints: [[String]] = [],
    indices: [[String]] = []
  ) {
    self.name = name
    self.superentity = superentity
    self.root = root ?? name
    let stored = properties.filter { !$0.isEphemeral }
    let ephemeral = Set(properties.lazy.filter(\.isEphemeral).map(\.name))
    self.properties = stored
    self.uniquenessConstraints = uniquenessConstraints.filter(ephemeral.isDisjoint)
    self.indices = indices.filter(ephemeral.isDisjoint)
    indexByName = Dictionary(firstOf: stored.enumerated().map { ($1.name, $0) })
    propertyNames = PropertyNames(stored.map(\.name))
  }

  /// A placeholder for an entity that is not known yet, or is needed only for messages.
  package static let unnamed = StoreEntity(name: "", properties: [])

  /// Returns the property with a name, or `nil` if there is none.
  public func property(named name: String) -> StoreProperty? {
    indexByName[name].map { properties[$0] }
  }
}

extension StoreEntity: Equatable {
  /// Compares the stored forms of both entities.
  public static func == (lhs: StoreEntity, rhs: StoreEntity) -> Bool {
    lhs === rhs
      || (lhs.name == rhs.name && lhs.superentity == rhs.superentity && lhs.root == rhs.root
        && lhs.properties == rhs.properties
        && lhs.uniquenessConstraints == rhs.uniquenessConstraints && lhs.indices == rhs.indices)
  }
}

extension StoreEntity: Codable {
  private enum CodingKeys: String, CodingKey {
    case name, superentity, root, properties, uniquenessConstraints, indices
  }

  /// Decodes an entity from a stored schema.
  public convenience init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    self.init(
      name: try container.decode(String.self, forKey: .name),
      superentity: try container.decodeIfPresent(String.self, forKey: .superentity),
      root: try container.decodeIfPresent(String.self, forKey: .root),
      properties: try container.decode([StoreProperty].self, forKey: .properties),
      uniquenessConstraints: try container.decodeIfPresent(
        [[String]].self,
        forKey: .uniquenessConstraints
      ) ?? [],
      indices: try container.decodeIfPresent([[String]].self, forKey: .indices) ?? []
    )
  }

  /// Encodes the entity; empty values are left out.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    try container.encode(name, forKey: .name)
    try container.encodeIfPresent(superentity, forKey: .superentity)
    if root != name { try container.encode(root, forKey: .root) }
    try container.encode(properties, forKey: .properties)
    if !uniquenessConstraints.isEmpty {
      try container.encode(uniquenessConstraints, forKey: .uniquenessConstraints)
    }
    if !indices.isEmpty { try container.encode(indices, forKey: .indices) }
  }
}
