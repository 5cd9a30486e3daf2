import StoreProtocol

/// The place of all objects of one entity in one context.
final class EntityRegistration: _ModelRegistration {
  /// The context, which lives as long as any of its objects.
  let context: ContextState
  /// The entity as stores see it.
  let entity: StoreEntity
  /// The model type's layout.
  let layout: ModelLayout
  /// The store of the entity.
  let backend: any StoreBackend
  /// The scope of identifiers of saved objects.
  let scope: PersistentIdentifier.Scope
  /// The objects of the entity's hierarchy by key, shared by its entities.
  let identityMap: IdentityMap
  /// The index of the inverse of each property, nil where it has none.
  let inverses: [Int?]
  /// The part of each relationship in an inverse that several relationships name.
  let shared: [Int: SharedInverse]
  /// The indices of relationships.
  let relationshipIndices: [Int]
  /// Whether the property of each index is a relationship.
  let isRelationship: [Bool]
  /// Whether the property of each index is a relationship to many.
  let isToMany: [Bool]
  /// Whether the entity has relationships.
  let hasRelationships: Bool
  /// Whether the entity has relationships that the rows at both ends keep.
  let hasPairs: Bool
  /// Whether other entities inherit from the entity.
  let hasFamily: Bool
  /// The indices of attributes that no store keeps.
  let ephemerals: Set<Int>
  /// The attributes that a store may keep outside of the row.
  let externals: [Int]
  /// The source of single rows, or `nil` if the store needs a query for each.
  let rowSource: (any RowSource)?

  init(context: ContextState, facts: EntityFacts, identityMap: IdentityMap) {
    self.context = context
    self.identityMap = identityMap
    entity = facts.entity
    layout = facts.layout
    backend = facts.backend
    scope = facts.scope
    inverses = facts.inverses
    shared = facts.shared
    relationshipIndices = facts.layout.relationshipIndices
    isRelationship = facts.isRelationship
    isToMany = facts.isToMany
    hasRelationships = !relationshipIndices.isEmpty
    hasPairs = facts.hasPairs
    hasFamily = facts.hasFamily
    ephemerals = facts.ephemerals
    externals = facts.externals
    rowSource = facts.rowSource
    super.init(relationships: facts.relationshipBits)
  }

  /// The attributes for whose values nothing can stand, so that they are loaded with the row.
  private(set) lazy var indispensable: [String] = layout.properties.filter {
    $0.shape == nil && !PlaceholderReader.canStandIn(for: $0)
  }.map(\.name)

  /// Whether references are among the values that are unique together, so that an object can only be
  /// told from others once those that it refers to are stored.
  private(set) lazy var hasUniqueReferences = entity.uniquenessConstraints.joined().contains {
    name in relationshipIndices.contains { entity.properties[$0].name == name }
  }

  /// Whether the store takes new records straight from their objects, and these have only values that
  /// are written without code of the program, and relationships.
  private(set) lazy var takesSources =
    layout.properties.allSatisfy { $0.shape != nil || ObjectSource.isPlain($0) }
    && backend.takesSources(of: entity.name)

  /// What the rows of this very entity have for a scope, as the store gave it last.
  @exclusivity(unchecked) var rowScope: PersistentIdentifier.Scope?

  /// What all objects have that leave the context and need nothing else.
  private(set) lazy var departed = ModelExtra(departure: scope)

  /// What is asked of each relationship before a save.
  private(set) lazy var relationshipRules = relationshipIndices.map {
    RelationshipRule(entity.properties[$0], layout.properties[$0], index: $0)
  }

  override func identifier(of model: any PersistentModel) -> PersistentIdentifier {
    if model._$state.flags.contains(.inserted) {
      return PersistentIdentifier(
        scope: layout.unsavedScope,
        key: .temporary(model._$state.key)
      )
    }
    if model._$state.key == .min, let identifier = model._$state.extra?.identifier {
      return identifier
    }
    return PersistentIdentifier(scope: scope, key: .integer(model._$state.key))
  }
}

extension EntityRegistration {
  /// The identifier of a saved object whose key is known.
  func identifier(of model: any PersistentModel, key: Int64) -> PersistentIdentifier {
    if key == .min { return identifier(of: model) }
    return PersistentIdentifier(scope: scope, key: .integer(key))
  }
}

extension PersistentModel {
  /// The object's place in its context.
  var registration: EntityRegistration? {
    // The cast costs nothing this way, and the base class has this one subclass.
    _$state.registration.map { unsafeDowncast($0, to: EntityRegistration.self) }
  }
}
