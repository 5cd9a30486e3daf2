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
    identityMap = objects.identityMap(of: facts.root, named: facts.entity.root)
    entity = facts.entity
    layout = facts.layout
    store = facts.store
    scope = facts.scope
    inverses = facts.inverses
    relationshipIndices = facts.layout.relationshipIndices
    isRelationship = facts.isRelationship
    isToMany = facts.isToMany
    hasRelationships = !relationshipIndices.isEmpty
    if hasRelationships { identityMap.hasRelationships = true }
    if isToMany.contains(true) { identityMap.hasToMany = true }
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

// Making objects from rows.

extension EntityRegistration {
  /// Returns the registration of the objects of a row's entity.
  func registration(of reader: RowReader) throws -> EntityRegistration {
    if entity.name == reader.entity.name { return self }
    guard let found = registration(named: reader.entity.name) else {
      throw DataStoreError(
        .schemaMismatch,
        "the store has an object of a model that the schema lacks",
        entity: reader.entity.name
      )
    }
    return found
  }

  /// Returns a query for the row of a key.
  func query(forRow key: PersistentIdentifier.Key) -> StoreQuery {
    .row(PersistentIdentifier(scope: scope, key: key), of: entity.name)
  }

  /// Returns the registration for a single row, which is mostly of the requested entity.
  @inline(__always)
  func registration(ofSingle reader: RowReader) throws -> EntityRegistration {
    if reader.isIn(rowScope) { return self }
    let found = try registration(of: reader)
    found.rowScope = reader.scope
    return found
  }

  /// Whether an object has the values of its row, by the versions of both.
  ///
  /// A reference to a deleted row reads as `nil` without a new version.
  func isCurrent(
    _ model: any PersistentModel,
    _ reader: RowReader,
    lacking missing: [Int]
  ) -> Bool {
    guard missing.isEmpty, !hasRelationships else { return false }
    // The fields are read one by one: a copy of the state would retain what it refers to.
    let version = model._$state.version
    return version != 0 && version == reader.version && !model._$state.flags.contains(.partial)
  }

  /// Returns a new object of a row, registered under the row's key.
  func makeObject(
    for key: PersistentIdentifier.Key,
    from reader: RowReader,
    lacking missing: [Int]
  ) throws -> any PersistentModel {
    if reader.hasNotes { reader.textReferences = [] }
    let made = try layout.type.init(_$row: reader)
    if case .integer(let number) = key {
      enter(&made._$state, number, reader.version)
    } else {
      enter(&made._$state, .min, reader.version)
      made.modelExtra.identifier = PersistentIdentifier(scope: scope, key: key)
    }
    if !missing.isEmpty { made.noteUnloaded(missing) }
    if reader.hasNotes { made.keepReferences(from: reader) }
    objects.register(made, key: key, in: self)
    return made
  }

  /// Returns a new object of a row, without the values that their types refuse.
  func makeReadableObject(
    for key: PersistentIdentifier.Key,
    from reader: RowReader,
    lacking missing: [Int]
  ) throws -> any PersistentModel {
    let (made, unreadable) = try withReadableValues(of: reader, lacking: missing) {
      try makeObject(for: key, from: $0, lacking: $1)
    }
    made.noteUnreadable(unreadable)
    return made
  }

  /// Makes the state that of an object which was created from a row.
  ///
  /// All fields are set in one call: through the protocol, each access of the state is a call.
  private func enter(_ state: inout _ModelState, _ key: Int64, _ version: Int64) {
    state.registration = self
    state.flags.insert(objects.recordsChanges ? [.tracked, .recorded] : .tracked)
    state.key = key
    state.version = version
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
