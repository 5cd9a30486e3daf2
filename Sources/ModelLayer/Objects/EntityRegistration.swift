import Foundation
import ModelRuntime
import StoreProtocol

/// The registration of one entity in one context, which all objects of the entity refer to.
///
/// The context has a subclass, which keeps the context alive as long as any of its objects.
class EntityRegistration: _ModelRegistration {
  /// The objects of the context.
  let objects: RegisteredObjects
  /// The facts that all contexts of the container share.
  let facts: EntityFacts
  /// The entity in the form for stores.
  let entity: StoreEntity
  /// The model type's layout.
  let layout: ModelLayout
  /// The store of the entity.
  let store: any RecordStore
  /// The scope of identifiers of saved objects.
  let scope: PersistentIdentifier.Scope
  /// The objects of the entity's hierarchy by key, shared by its entities.
  let identityMap: IdentityMap
  /// The index of the inverse of each property, or `nil` if it has none.
  let inverses: [Int?]
  /// The indices of relationships.
  let relationshipIndices: [Int]
  /// Whether the property of each index is a relationship.
  let isRelationship: [Bool]
  /// Whether the property of each index is a to-many relationship.
  let isToMany: [Bool]
  /// Whether the entity has relationships.
  let hasRelationships: Bool

  init(_ facts: EntityFacts, in objects: RegisteredObjects) {
    self.objects = objects
    self.facts = facts
    identityMap = objects.identityMap(for: facts)
    entity = facts.entity
    layout = facts.layout
    store = facts.store
    scope = facts.scope
    inverses = facts.inverses
    relationshipIndices = facts.layout.relationshipIndices
    isRelationship = facts.isRelationship
    isToMany = facts.isToMany
    hasRelationships = !relationshipIndices.isEmpty
    super.init(relationships: facts.relationshipBits)
  }

  /// The attributes without a possible placeholder, which are loaded with the row.
  private(set) lazy var indispensable: [String] = layout.storedProperties.filter {
    $0.shape == nil && !PlaceholderReader.canStandIn(for: $0)
  }.map(\.name)

  /// Whether elements of derived to-many relationships are found through their own references.
  var derivesMembers: Bool { facts.adapter == nil }

  /// Whether references are among the values that are unique together.
  ///
  /// An object can then be compared with others only after those that it refers to are stored.
  private(set) lazy var hasUniqueReferences = entity.uniquenessConstraints.joined().contains {
    name in relationshipIndices.contains { entity.properties[$0].name == name }
  }

  /// The objects that the entity's rows refer to by to-one relationships.
  private(set) lazy var targets = relationshipIndices.filter { !isToMany[$0] }.compactMap {
    destination(of: $0)?.identityMap
  }

  /// The stored attributes of basic types.
  private(set) lazy var plainIndices = isPlain.indices.filter { isPlain[$0] }

  /// The stored attributes whose values are encoded by code of the program.
  private(set) lazy var codedIndices = entity.properties.indices.filter {
    !isRelationship[$0] && !isPlain[$0]
  }

  /// The bits of the stored attributes of basic types; no other property has them.
  private(set) lazy var plainBits = isPlain.indices.prefix(63).reduce(0) { bits, index in
    isPlain[index] ? bits | _ModelState.bit(index) : bits
  }

  /// The scope of rows of this entity itself, as the store provided it last.
  @exclusivity(unchecked) var rowScope: PersistentIdentifier.Scope?

  /// The shared extra of all objects that leave the context and need nothing else.
  private(set) lazy var departed = ModelExtra(departure: scope)

  /// Whether the property of each index is a stored attribute of a basic type, written without code
  /// of the program.
  private(set) lazy var isPlain = layout.properties.enumerated().map { index, property in
    index < layout.storedCount && property.shape == nil && property.isPlain
  }

  /// The requirements of each relationship before a save.
  private(set) lazy var relationshipRules = relationshipIndices.map {
    RelationshipRule(entity.properties[$0], layout.properties[$0], index: $0)
  }

  /// Returns the registration of another entity in the same context, or `nil` if there is none.
  func registration(named entity: String) -> EntityRegistration? {
    objects.registration(named: entity)
  }

  final override func identifier(of model: any PersistentModel) -> PersistentIdentifier {
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
  /// Returns the registration of the objects that a relationship refers to.
  func destination(of index: Int) -> EntityRegistration? {
    entity.properties[index].relationship.flatMap { registration(named: $0.destination) }
  }

  /// Returns the identifier of a saved object with a given key.
  func identifier(of model: any PersistentModel, key: Int64) -> PersistentIdentifier {
    if key == .min { return identifier(of: model) }
    return PersistentIdentifier(scope: scope, key: .integer(key))
  }
}

extension PersistentModel {
  /// The object's registration in its context.
  var registration: EntityRegistration? {
    // The cast costs nothing this way, and all registrations are of this class.
    _$state.registration.map { unsafeDowncast($0, to: EntityRegistration.self) }
  }
}

extension EntityRegistration: Hashable {
  static func == (lhs: EntityRegistration, rhs: EntityRegistration) -> Bool { lhs === rhs }

  func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}

extension ModelLayout.Property {
  /// Whether the property is an attribute of a type that is written without code of the program.
  fileprivate var isPlain: Bool {
    let type = type(of: keyPath).valueType
    return Self.plainTypes.contains(
      ObjectIdentifier((type as? any OptionalType.Type)?.wrapped ?? type)
    )
  }

  private static let plainTypes: Set<ObjectIdentifier> = Set(
    [
      Bool.self, Int.self, Int8.self, Int16.self, Int32.self, Int64.self, UInt.self, UInt8.self,
      UInt16.self, UInt32.self, UInt64.self, Double.self, Float.self, String.self, Date.self,
      Data.self, UUID.self, URL.self, Decimal.self,
    ].map { (type: Any.Type) in ObjectIdentifier(type) }
  )
}
