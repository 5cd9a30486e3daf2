import ModelRuntime
import StoreProtocol

/// Finds objects that require an object which is about to be deleted, and that no delete rule
/// covers.
///
/// The objects at the other end of a one-way relationship do not know their referrers, so the store
/// is queried. This is done only for required relationships, since all others may become `nil`.
struct DanglingReferenceCheck {
  private let context: ContextState
  private static let batchSize = 500

  /// Checks that no object requires the objects that a save is about to delete.
  ///
  /// - Throws: `SwiftDataError.modelValidationFailure` with the first object and property that
  ///   would lose a required object, and errors of the store.
  static func check(_ deleted: [any PersistentModel], in context: ContextState) throws {
    let schema = context.core.schema.storeSchema
    lazy var byRoot = Dictionary(grouping: deleted) { $0.registration?.entity.root ?? "" }
    let targets = DanglingReferenceCheck(context: context)
    for entity in schema.entities {
      let above = entity.superentity.flatMap(schema.entity(named:))
      for property in entity.properties where above?.property(named: property.name) == nil {
        guard property.isRequiredOneWay, let relationship = property.relationship,
          let root = schema.entity(named: relationship.destination)?.root,
          let models = byRoot[root]
        else { continue }
        try targets.check(property, of: entity, losing: models.map(\.persistentModelID))
      }
    }
  }

  private func check(
    _ property: StoreProperty,
    of entity: StoreEntity,
    losing identifiers: [PersistentIdentifier]
  ) throws {
    guard let registration = context.registration(named: entity.name) else { return }
    for start in stride(from: 0, to: identifiers.count, by: Self.batchSize) {
      let batch = identifiers[start..<min(start + Self.batchSize, identifiers.count)]
      let query = StoreQuery(
        entity: entity.name,
        filter: .contains(
          .constant(.identifiers(Array(batch))),
          .property(.element(0), property.name)
        )
      )
      try context.loader.read(query, from: registration) { try check($0, property) }
    }
  }

  private func check(_ model: any PersistentModel, _ property: StoreProperty) throws {
    guard !model.isDeleted, let registration = model.registration,
      let index = registration.entity.indexByName[property.name],
      model.related(at: index).first?.isDeleted ?? true
    else { return }
    throw SaveValidation.loss(of: model, property, of: registration.entity)
  }
}
