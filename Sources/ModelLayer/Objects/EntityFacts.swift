import ModelRuntime
import StoreProtocol

/// The facts about one entity that all contexts of a container share.
final class EntityFacts: Sendable {
  let entity: StoreEntity
  let layout: ModelLayout
  let backend: any StoreBackend
  /// The model at the root of the entity's hierarchy.
  let root: any PersistentModel.Type
  let scope: PersistentIdentifier.Scope
  let inverses: [Int?]
  let shared: [Int: SharedInverse]
  let isRelationship: [Bool]
  let isToMany: [Bool]
  let hasPairs: Bool
  let hasFamily: Bool
  let ephemerals: Set<Int>
  let externals: [Int]
  let relationshipBits: UInt64
  /// The source of single rows, or `nil` if the store needs a query for each.
  let rowSource: (any RowSource)?

  /// Collects the facts of a model type, or returns `nil` if a container lacks the type.
  init?(of type: any PersistentModel.Type, _ models: Schema, _ backends: Backends) {
    let layout = ModelLayout.of(type)
    let schema = models.storeSchema
    guard
      let entity = schema.entity(named: layout.entityName),
      models.modelTypes[layout.entityName] == type,
      let backend = backends.byEntity[layout.entityName],
      let root = models.modelTypes[entity.root]
    else { return nil }
    (self.entity, self.layout, self.backend, self.root) = (entity, layout, backend, root)
    scope = PersistentIdentifier.Scope(
      storeIdentifier: backend.identifier,
      entityName: entity.name
    )
    let ends = RelationshipEnds.of(layout)
    inverses = layout.properties.indices.map { ends.inverses[$0] }
    shared = ends.shared
    isRelationship = layout.properties.map { $0.shape != nil }
    isToMany = layout.properties.map { $0.shape?.isToMany == true }
    hasPairs = entity.properties.contains(where: \.isKeptByBothEnds)
    hasFamily = schema.family(of: entity.name).count > 1
    ephemerals = Set(entity.properties.indices.filter { entity.properties[$0].isEphemeral })
    externals = entity.properties.indices.filter {
      entity.properties[$0].options.contains("externalStorage")
    }
    relationshipBits = layout.relationshipIndices.reduce(0) { $0 | _ModelState.bit($1) }
    rowSource = try? backend.rowSource(of: entity.name)
  }
}
