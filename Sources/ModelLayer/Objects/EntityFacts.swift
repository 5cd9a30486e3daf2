import ModelRuntime
import StoreProtocol
import Synchronization

/// The facts about one entity that all contexts of a container share.
final class EntityFacts: Sendable {
  let entity: StoreEntity
  let layout: ModelLayout
  let store: any RecordStore
  /// The adapter of a store of SwiftData's protocol, or `nil` for other stores.
  let adapter: (any AdaptedStore)?
  /// The model at the root of the entity's hierarchy.
  let root: any PersistentModel.Type
  let scope: PersistentIdentifier.Scope
  let inverses: [Int?]
  /// The part of each relationship in an inverse that several relationships share.
  let shared: [Int: SharedInverse]
  let isRelationship: [Bool]
  let isToMany: [Bool]
  /// Whether rows contain the to-many relationship of each index as a list.
  let isListed: [Bool]
  /// Whether the entity has relationships that the rows at both ends keep.
  let hasPairs: Bool
  /// Whether rows contain relationships by which their deletion deletes others, or is denied.
  let hasOwnRules: Bool
  /// Whether other entities inherit from the entity.
  let hasFamily: Bool
  /// The attributes that a store may keep outside of the row.
  let externals: [Int]
  /// Whether rows that are read with all properties lack none.
  let hasWholeRows: Bool
  /// The schema and the store for which predicates over the model are lowered.
  let queryScope: QueryScope
  let relationshipBits: UInt64
  private let restricting = Mutex<[StoreReference]?>(nil)

  /// The relationships of other rows on which a deletion of rows of the entity depends, if the store
  /// can check them.
  ///
  /// A row that refers to a deleted one by these is deleted too, denies the deletion, or requires
  /// the deleted row.
  var restrictingReferences: [StoreReference] {
    restricting.withLock { known in
      if let known { return known }
      let found = store.capabilities.versions == .native ? restrictingReferences(to: entity) : []
      known = found
      return found
    }
  }

  /// Whether objects of a type are objects of another, as an ``IdentityMap`` of the other requires.
  private static func inherits<Root: PersistentModel>(
    _ type: any PersistentModel.Type,
    from root: Root.Type
  ) -> Bool { type is Root.Type }

  private func restrictingReferences(to deleted: StoreEntity) -> [StoreReference] {
    let schema = store.schema.storeSchema
    return schema.entities.flatMap { other in
      schema.ownProperties(of: other).compactMap { property -> StoreReference? in
        guard let relationship = property.relationship, !property.isDerivedToMany,
          schema.isEntity(deleted.name, kindOf: relationship.destination)
        else { return nil }
        let isRequired = property.isToOne && !property.isOptional
        let rule = relationship.inverse.flatMap { deleted.property(named: $0)?.deleteRule }
        guard isRequired || rule == .cascade || rule == .deny else { return nil }
        return StoreReference(property.name, of: other.name)
      }
    }
  }

  /// Collects the facts of a model type, or returns `nil` if a container lacks the type.
  init?(of type: any PersistentModel.Type, _ models: Schema, _ stores: ContainerStores) {
    let layout = ModelLayout.of(type)
    let schema = models.storeSchema
    guard
      let entity = schema.entity(named: layout.entityName),
      models.modelTypes[layout.entityName] == type,
      let store = stores.byEntity[layout.entityName],
      let root = models.modelTypes[entity.root], Self.inherits(type, from: root)
    else { return nil }
    (self.entity, self.layout, self.store, self.root) = (entity, layout, store, root)
    adapter = store as? any AdaptedStore
    scope = PersistentIdentifier.Scope(
      storeIdentifier: store.identifier,
      entityName: entity.name
    )
    let ends = RelationshipEnds.of(layout)
    inverses = layout.properties.indices.map { ends.inverses[$0] }
    shared = ends.shared
    isRelationship = layout.properties.map { $0.shape != nil }
    isToMany = layout.isToMany
    isListed = entity.properties.map { $0.isToMany && !$0.isDerivedToMany }
    hasPairs = entity.properties.contains(where: \.isKeptByBothEnds)
    hasOwnRules = entity.properties.contains(where: \.isOwnRule)
    hasFamily = schema.family(of: entity.name).count > 1
    externals = entity.properties.indices.filter {
      entity.properties[$0].options.contains("externalStorage")
    }
    hasWholeRows = externals.isEmpty && layout.storedCount == layout.properties.count
    queryScope = QueryScope(models, store: store.identifier)
    relationshipBits = layout.relationshipIndices.reduce(0) { $0 | _ModelState.bit($1) }
  }
}

extension StoreProperty {
  /// The delete rule of a relationship.
  var deleteRule: Schema.Relationship.DeleteRule? {
    relationship.flatMap { Schema.Relationship.DeleteRule(rawValue: $0.deleteRule) }
  }

  /// Whether the row contains the relationship, and its rule deletes the related objects or denies the
  /// deletion.
  var isOwnRule: Bool { !isDerivedToMany && (deleteRule == .cascade || deleteRule == .deny) }
}
