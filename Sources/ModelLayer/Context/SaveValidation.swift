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
    let related = RelatedReader()
    for run in objects.insertedRuns where run.registration.hasRelationships {
      for model in run.models { try check(nil, of: model, run.registration, related) }
    }
    for run in objects.changedRuns where run.registration.hasRelationships {
      for model in run.models {
        try check(model.dirtyIndices, of: model, run.registration, related)
      }
    }
    for (model, index) in pending.touched where model._$state.flags.contains(.tracked) {
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
      throw DataStoreError(
        .deletionDenied,
        "\(model.persistentModelID) cannot be deleted while \(other.persistentModelID) is related "
          + "to it; delete that first, or remove it from the relationship",
        entity: registration.entity.name,
        property: property.name
      )
    }
  }

  /// Checks the relationships of an object: all of them, or those among some properties.
  private static func check(
    _ indices: [Int]?,
    of model: any PersistentModel,
    _ registration: EntityRegistration,
    _ related: RelatedReader
  ) throws {
    for rule in registration.relationshipRules
    where indices?.contains(rule.index) ?? true {
      if related.read(rule.index, of: model) {
        try checkContext(rule.index, of: model, in: registration, related)
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

/// The requirements of a relationship before a save.
struct RelationshipRule {
  /// The index of the relationship.
  let index: Int
  /// Whether it must refer to an object.
  let isRequired: Bool
  /// The smallest allowed number of objects.
  let least: Int
  /// The largest allowed number of objects, or 0 for any number.
  let most: Int

  /// Whether the number of objects matters.
  var isLimited: Bool { least > 0 || most > 0 }

  /// Creates the rule from the declaration of a relationship.
  init(_ property: StoreProperty, _ declared: ModelLayout.Property, index: Int) {
    self.index = index
    isRequired = property.isToOne && !property.isOptional
    let declared = declared.metadata.metadata as? Schema.Relationship
    least = declared?.minimumModelCount ?? 0
    most = declared?.maximumModelCount ?? 0
  }
}
