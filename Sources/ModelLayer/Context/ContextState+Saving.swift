import Foundation
import StoreProtocol

extension ContextState {
  /// Writes all pending changes, all or nothing in each store.
  func save() throws {
    autosave.saveBegins()
    defer { autosave.saveEnds(self) }
    undo?.eventEnded()
    if !problems.isEmpty { throw problems.removeFirst() }
    processPendingChanges()
    for model in pending.forgotten { forget(model) }
    guard hasChanges else {
      clearPending()
      return
    }
    NotificationCenter.default.post(name: ModelContext.willSave, object: handle)
    processPendingChanges()
    try SaveValidation.check(pending)
    let plan = try SavePlan(pending, editingState: editingState)
    try checkMergePolicy(plan)
    var outcome = SaveOutcome()
    var merged: [MergedBatch] = []
    for batch in plan.batches {
      let applied = try apply(batch)
      try finish(applied.merged.batch, with: applied.result, outcome: &outcome)
      conclude(applied.merged, with: applied.result)
      merged.append(applied.merged)
    }
    clearPending()
    refreshMerged(merged)
    // Who belongs to whom may have changed with rows that new objects were merged into.
    if outcome.hasMerged { foldToMany() }
    core.changes.post(deleted: outcome.deleted, from: mailbox)
    seenGeneration &+= 1
    NotificationCenter.default.post(
      name: ModelContext.didSave,
      object: handle,
      userInfo: outcome.userInfo
    )
  }

  private func forget(_ model: any PersistentModel) {
    model.detach()
    model._$state.flags.insert(.deleted)
  }

  private func clearPending() {
    for (model, _) in pending.touched { model.forgetMemberChanges() }
    pending = PendingChanges()
  }

  private func finish(
    _ batch: SavePlan.Batch,
    with result: StoreChangesResult,
    outcome: inout SaveOutcome
  ) throws {
    for model in batch.deleted {
      let identifier = model.persistentModelID
      outcome.deleted.append(identifier)
      model.registration?.identityMap.remove(identifier.key)
      forget(model)
    }
    for model in batch.changed {
      outcome.updated.append(model.persistentModelID)
      model.forgetOriginals()
      model.forgetMemberChanges()
    }
    var merged: [EntityRegistration: Set<PersistentIdentifier.Key>] = [:]
    for model in batch.inserted {
      let temporary = model.persistentModelID
      guard let permanent = result.remapped[temporary] else {
        throw DataStoreError(
          .outcomeUnknown,
          "the store saved but gave no identifier for a new object; open it again",
          entity: temporary.entityName
        )
      }
      settle(model, as: permanent, merged: &merged)
      model._$state.version = result.version
      if result.merged.contains(temporary) {
        outcome.updated.append(permanent)
      } else {
        outcome.inserted.append(permanent)
      }
    }
    for (registration, keys) in merged { _ = try fetchRows(keys, of: registration) }
    outcome.hasMerged = outcome.hasMerged || !result.merged.isEmpty
  }

  /// Gives a new object its permanent identity.
  ///
  /// Where the context has an object of that identity already, because the new one became an
  /// update of its row, that object stays and the new one leaves the context.
  private func settle(
    _ model: any PersistentModel,
    as permanent: PersistentIdentifier,
    merged: inout [EntityRegistration: Set<PersistentIdentifier.Key>]
  ) {
    guard let registration = model.registration else { return }
    model.forgetMemberChanges()
    if registration.identityMap.model(for: permanent.key) != nil {
      model.detach()
      model.modelExtra.identifier = permanent
      merged[registration, default: []].insert(permanent.key)
      return
    }
    model._$state.flags.remove(.inserted)
    model.forgetOriginals()
    if case .integer(let key) = permanent.key {
      model._$state.key = key
    } else {
      model._$state.key = .min
      model.modelExtra.identifier = permanent
    }
    register(model, key: permanent.key, in: registration)
  }
}

extension EntityRegistration: Hashable {
  static func == (lhs: EntityRegistration, rhs: EntityRegistration) -> Bool { lhs === rhs }

  func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}

/// The identifiers of what a save did.
private struct SaveOutcome {
  var inserted: [PersistentIdentifier] = []
  var updated: [PersistentIdentifier] = []
  var deleted: [PersistentIdentifier] = []
  /// Whether new objects became updates of stored ones.
  var hasMerged = false

  var userInfo: [AnyHashable: Any] {
    [
      ModelContext.NotificationKey.insertedIdentifiers.rawValue: inserted,
      ModelContext.NotificationKey.updatedIdentifiers.rawValue: updated,
      ModelContext.NotificationKey.deletedIdentifiers.rawValue: deleted,
    ]
  }
}
