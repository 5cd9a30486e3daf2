import ModelRuntime
import StoreProtocol

// Another save may relate an object to one that this context deletes, or delete one to which this
// context relates an object. The store then refuses the save, which names these relationships
// (``StoreChanges/protectedReferences``), and the context applies its rules again.

extension Saver {
  /// The adaptations of a save to other saves so far, each of which is made once.
  struct Adaptation {
    /// The rows of the last conflict of relationships.
    fileprivate var related: [PersistentIdentifier] = []
    fileprivate var hasRenewedRules = false
    fileprivate var hasDroppedRows = false
    fileprivate var hasMadeBulkChanges = false
  }

  /// Adapts the changes to what other saves did, if a store refused them for that.
  ///
  /// - Throws: The error, if it has another reason or nothing has changed.
  func adapt(to error: any Error, _ done: inout Adaptation) throws {
    switch error {
    case let error as DataStoreError where error.isOfReferences:
      guard try follow(error) || error.identifiers != done.related else { throw error }
      done.related = error.identifiers
    case let error as DataStoreError where error == .deletionDenied && !done.hasRenewedRules:
      // Another save may have removed the object that denied the deletion.
      done.hasRenewedRules = true
      guard try renewRules(of: context.pending.deleted) else { throw error }
    case _
    where error.mayBeOfMissingRows && !done.hasDroppedRows && context.pending.unruled.isEmpty:
      // Another save may have deleted an object that only a rule has changed.
      done.hasDroppedRows = true
      let pending = context.pending
      let ruled = pending.changed.filter(pending.isChangedByRules)
      guard (try? context.feed.dropMissingRows(of: ruled)) == true else { throw error }
    case let error as DataStoreError
    where error.refusesBulkChange && !done.hasMadeBulkChanges && !context.bulkChanges.isEmpty:
      // The support of a store may depend on its contents, which other saves have changed since.
      done = Adaptation(hasMadeBulkChanges: true)
      try BulkChanges(in: context).carryOut()
    default: throw error
    }
    context.processPendingChanges()
  }

  /// Reads the rows of a conflict and applies the rules to them; returns `false` if nothing changed.
  private func follow(_ conflict: DataStoreError) throws -> Bool {
    var hasChanged = false
    for identifier in conflict.identifiers {
      guard let registration = context.entry(of: identifier)?.registration else { continue }
      let row = StoreQuery.rows([identifier], of: registration.entity.name)
      if try registration.store.rowIdentifiers(of: row).isEmpty {
        // An object with unsaved changes is a conflict of its own.
        guard let model = registration.identityMap.model(for: identifier.key),
          model._$state.flags.isDisjoint(with: [.inserted, .changed, .deleted])
            || context.pending.isChangedByRules(model)
        else { continue }
        context.vanish(model)
        hasChanged = true
      } else if let model = registration.identityMap.model(for: identifier.key),
        model.isMarkedDeleted
      {
        hasChanged = try renewRules(of: [model]) || hasChanged
      } else if let model = try currentObject(of: identifier, registration),
        try follow(model, by: conflict.property)
      {
        hasChanged = true
      }
    }
    return hasChanged
  }

  /// Reads deleted objects again whose rows contain the relationships of their rules, and applies the
  /// rules again; returns `false` if there are none.
  private func renewRules(of models: [any PersistentModel]) throws -> Bool {
    let ruled = models.filter { $0.registration?.facts.hasOwnRules == true }
    let loader = context.loader
    try loader.forEachBatch(of: ruled) { try loader.refresh($0, of: $1, true) }
    if !ruled.isEmpty { context.pending.applyRulesAgain() }
    return !ruled.isEmpty
  }

  /// Returns the object of a row with the row's values, below its unsaved changes.
  private func currentObject(
    of identifier: PersistentIdentifier,
    _ registration: EntityRegistration
  ) throws -> (any PersistentModel)? {
    guard let model = registration.identityMap.model(for: identifier.key),
      let own = model.registration
    else {
      let rows: Set = [identifier.key]
      return try context.loader.fetchRows(rows, of: registration, isCounted: false).first
    }
    try context.loader.refresh([model], of: own, true)
    return model
  }

  /// Applies the rule of a deleted object to one that refers to it, and returns whether there is one.
  ///
  /// - Throws: The error of a rule that forbids the deletion.
  private func follow(_ model: any PersistentModel, by property: String?) throws -> Bool {
    guard let registration = model.registration, !model.isMarkedDeleted,
      let index = property.flatMap({ registration.entity.indexByName[$0] })
    else { return false }
    var hasChanged = false
    for deleted in model.related(at: index) where deleted.isMarkedDeleted {
      guard let entity = deleted.registration?.entity else { continue }
      let inverse = registration.inverses[index].map { entity.properties[$0] }
      switch inverse?.deleteRule {
      case .cascade?:
        context.markDeleted(model, .rule(of: deleted))
        hasChanged = true
      case .deny?:
        guard let inverse else { continue }
        throw SaveValidation.denial(of: deleted, by: model, inverse, of: entity)
      default:
        throw SaveValidation.loss(
          of: model,
          registration.entity.properties[index],
          of: registration.entity
        )
      }
    }
    return hasChanged
  }
}

extension Error {
  /// Whether changes of rows that no longer exist can be the reason that a save was refused.
  fileprivate var mayBeOfMissingRows: Bool {
    SwiftDataError.modelValidationFailure ~= self || (self as? DataStoreError) == .conflict
  }
}

extension DataStoreError {
  /// Whether a store refused a save because of a protected relationship.
  fileprivate var isOfReferences: Bool {
    self == .conflict && property != nil && !identifiers.isEmpty && mergeConflicts.isEmpty
  }

  /// Whether a store throws this for a bulk change that it does not support.
  fileprivate var refusesBulkChange: Bool { self == .unsupportedFeature || self == .invalidValue }
}
