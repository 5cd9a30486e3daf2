import StoreProtocol

/// Checks what is about to be saved against the rules of its schema.
struct SaveValidation {
  /// Checks deleted objects.
  ///
  /// - Throws: `DataStoreError.deletionDenied` naming the first object and property that break a
  ///   rule.
  static func checkDeletions(_ deleted: [EntityRun]) throws {
    for run in deleted where run.registration.hasRelationships {
      for model in run.models { try checkDeletion(of: model) }
    }
  }

  /// Checks new and changed objects.
  ///
  /// - Throws: `SwiftDataError.modelValidationFailure` naming the first object and property that
  ///   break a rule.
  static func check(_ objects: PendingObjects, _ pending: PendingChanges) throws {
    for run in objects.insertedRuns where run.registration.hasRelationships {
      for model in run.models { try checkRelationships(of: model, only: nil) }
    }
    for run in objects.changedRuns where run.registration.hasRelationships {
      for model in run.models { try checkRelationships(of: model, only: model.dirtyIndices) }
    }
    for (model, index) in pending.touched where model._$state.flags.contains(.tracked) {
      guard !model.isMarkedDeleted else { continue }
      try checkRelationships(of: model, only: [index])
    }
  }

  private static func checkDeletion(of model: any PersistentModel) throws {
    guard let registration = model.registration else { return }
    for (index, property) in registration.entity.properties.enumerated()
    where property.relationship?.deleteRule == Schema.Relationship.DeleteRule.deny.rawValue {
      guard let other = model.related(at: index).first(where: { !$0.isMarkedDeleted }) else {
        continue
      }
      throw DataStoreError(
        .deletionDenied,
        "\(model.persistentModelID) cannot be deleted while \(other.persistentModelID) is related "
          + "to it; delete that first, or remove it from the relationship",
        entity: registration.entity.name,
        property: property.name
      )
    }
  }

  private static func checkRelationships(
    of model: any PersistentModel,
    only indices: [Int]?
  ) throws {
    guard let registration = model.registration, registration.hasRelationships else { return }
    for index in indices ?? Array(registration.entity.properties.indices)
    where registration.isRelationship[index] {
      try checkContext(index, of: model, in: registration)
      try checkPresence(index, of: model, in: registration)
      try checkCount(index, of: model, in: registration)
    }
  }

  private static func checkPresence(
    _ index: Int,
    of model: any PersistentModel,
    in registration: EntityRegistration
  ) throws {
    let property = registration.entity.properties[index]
    guard property.isToOne, !property.isOptional,
      case .models(let models) = ContentWriter.content(of: index, in: model),
      models.first.map({ $0.isDeleted }) ?? true
    else { return }
    throw SwiftDataError.modelValidationFailure.with(
      "\(model.persistentModelID) has no object in a relationship that is not optional; set one, "
        + "or delete the object too",
      entity: registration.entity.name,
      property: property.name
    )
  }

  private static func checkCount(
    _ index: Int,
    of model: any PersistentModel,
    in registration: EntityRegistration
  ) throws {
    let declared = registration.layout.properties[index].metadata.metadata as? Schema.Relationship
    guard let declared else { return }
    let least = declared.minimumModelCount ?? 0
    let most = declared.maximumModelCount ?? 0
    guard least > 0 || most > 0 else { return }
    let count = model.related(at: index).filter { !$0.isMarkedDeleted }.count
    guard count < least || (most > 0 && count > most) else { return }
    throw SwiftDataError.modelValidationFailure.with(
      "\(model.persistentModelID) has \(count) objects in a relationship that takes "
        + "\(least) to \(most > 0 ? String(most) : "any number")",
      entity: registration.entity.name,
      property: registration.entity.properties[index].name
    )
  }
}
