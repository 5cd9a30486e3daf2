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

extension StoreEntity {
  /// The encoded form of an entity, in which empty values are left out.
  package struct Coded: Codable {
    private let name: String
    private let superentity: String?
    private let root: String?
    private let properties: [StoreProperty]
    private let uniquenessConstraints: [[String]]?
    private let indices: [[String]]?

    package init(_ entity: StoreEntity) {
      name = entity.name
      superentity = entity.superentity
      root = entity.root == entity.name ? nil : entity.root
      properties = entity.properties
      uniquenessConstraints =
        entity.uniquenessConstraints.isEmpty ? nil : entity.uniquenessConstraints
      indices = entity.indices.isEmpty ? nil : entity.indices
    }

    /// The entity.
    package var entity: StoreEntity {
      StoreEntity(
        name: name,
        superentity: superentity,
        root: root,
        properties: properties,
        uniquenessConstraints: uniquenessConstraints ?? [],
        indices: indices ?? []
      )
    }
  }
}
