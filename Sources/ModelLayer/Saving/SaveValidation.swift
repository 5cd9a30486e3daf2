import ModelRuntime
import StoreProtocol

/// Checks pending changes against the rules of the schema before a save.
struct SaveValidation {
  /// Checks deleted objects.
  ///
  /// - Throws: `DataStoreError.deletionDenied` with the first object and property that break a
  ///   rule.
  static func checkDeletions(_ deleted: [EntityRun]) throws {
    for run in deleted where run.registration.hasRelationships {
      for model in run.models { try checkDeletion(of: model) }
    }
  }

  /// Checks new and changed objects.
  ///
  /// - Throws: `SwiftDataError.modelValidationFailure` with the first object and property that
  ///   break a rule.
  static func check(_ objects: PendingObjects, _ pending: PendingChanges) throws {
    lazy var related = RelationshipReader()
    for run in objects.inserted.runs where run.registration.hasRelationships {
      for model in run.models { try check(nil, of: model, run.registration, related) }
    }
    for run in objects.changed.runs where run.registration.hasRelationships {
      for model in run.models {
        try check(model.dirtyIndices, of: model, run.registration, related)
      }
    }
    for (model, index) in pending.touched.all where model._$state.flags.contains(.tracked) {
      guard !model.isMarkedDeleted, let registration = model.registration else { continue }
      try check([index], of: model, registration, related)
    }
  }

  private static func checkDeletion(of model: any PersistentModel) throws {
    guard let registration = model.registration else { return }
    for (index, property) in registration.entity.properties.enumerated()
    where property.relationship?.deleteRule == Schema.Relationship.DeleteRule.deny.rawValue {
      guard let other = model.related(at: index).first(where: { !$0.isMarkedDeleted }) else {
        continue
      }
      throw denial(of: model, by: other, property, of: registration.entity)
    }
  }

  /// Returns the error of a deletion that a related object denies.
  static func denial(
    of model: any PersistentModel,
    by other: any PersistentModel,
    _ property: StoreProperty,
    of entity: StoreEntity
  ) -> DataStoreError {
    DataStoreError(
      .deletionDenied,
      "\(model.persistentModelID) cannot be deleted while \(other.persistentModelID) is related to "
        + "it; delete that first, or remove it from the relationship",
      entity: entity.name,
      property: property.name
    )
  }

  /// Returns the error of a deletion of an object that another one requires.
  static func loss(
    of model: any PersistentModel,
    _ property: StoreProperty,
    of entity: StoreEntity
  ) -> SwiftDataError {
    .modelValidationFailure.with(
      "\(model.persistentModelID) would lose the object of a relationship that is not optional; set "
        + "another, or delete the object too",
      entity: entity.name,
      property: property.name
    )
  }

  /// Checks the relationships of an object: all of them, or those among some properties.
  private static func check(
    _ indices: [Int]?,
    of model: any PersistentModel,
    _ registration: EntityRegistration,
    _ related: RelationshipReader
  ) throws {
    for rule in registration.relationshipRules
    where indices?.contains(rule.index) ?? true {
      // The other objects were checked by the save that stored them, or read from the store.
      if indices != nil, let appended = model.appended(to: rule.index) {
        try checkContext(rule.index, of: model, in: registration, nil, appended)
      } else if related.read(rule.index, of: model) {
        try checkContext(rule.index, of: model, in: registration, related.target, related.members)
        if rule.isRequired, related.target?.isDeleted ?? true {
          throw SwiftDataError.modelValidationFailure.with(
            "\(model.persistentModelID) has no object in a relationship that is not optional; set "
              + "one, or delete the object too",
            entity: registration.entity.name,
            property: registration.entity.properties[rule.index].name
          )
        }
      }
      if rule.isLimited { try checkCount(rule, of: model, in: registration) }
    }
  }

  /// Refuses a relationship to an object of another context.
  ///
  /// - Throws: `SwiftDataError.modelValidationFailure` with both objects and the property.
  private static func checkContext(
    _ index: Int,
    of model: any PersistentModel,
    in registration: EntityRegistration,
    _ target: (any PersistentModel)?,
    _ members: [any PersistentModel]
  ) throws {
    func isUnrelated(_ other: any PersistentModel) -> Bool {
      other.registration.map { $0.objects !== registration.objects } ?? false
    }
    let unrelatedTarget = target.flatMap { isUnrelated($0) ? $0 : nil }
    guard let unrelated = unrelatedTarget ?? members.first(where: isUnrelated) else { return }
    throw SwiftDataError.modelValidationFailure.with(
      "\(model.persistentModelID) is related to \(unrelated.persistentModelID), an object of another "
        + "context; use the object that this context has for its identifier",
      entity: registration.entity.name,
      property: registration.entity.properties[index].name
    )
  }

  private static func checkCount(
    _ rule: RelationshipRule,
    of model: any PersistentModel,
    in registration: EntityRegistration
  ) throws {
    let count = model.related(at: rule.index).filter { !$0.isMarkedDeleted }.count
    guard count < rule.least || (rule.most > 0 && count > rule.most) else { return }
    throw SwiftDataError.modelValidationFailure.with(
      "\(model.persistentModelID) has \(count) objects in a relationship that allows "
        + "\(rule.least) to \(rule.most > 0 ? String(rule.most) : "any number")",
      entity: registration.entity.name,
      property: registration.entity.properties[rule.index].name
    )
  }
}
