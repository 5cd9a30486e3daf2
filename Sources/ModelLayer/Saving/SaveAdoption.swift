import ModelRuntime
import StoreProtocol

/// Applies the results of the stores to the objects of a save.
struct SaveAdoption {
  /// The identifiers of the objects that were saved so far.
  var saved = SavedIdentifiers()
  private let objects: RegisteredObjects

  /// Begins with no result.
  init(_ objects: RegisteredObjects) {
    self.objects = objects
  }

  /// Applies a store's result to the objects of a batch.
  ///
  /// - Parameters:
  ///   - batch: The batch that the store has applied.
  ///   - result: The result of the store.
  ///   - isLate: Whether the program continued meanwhile, so that related objects may have been
  ///     added since.
  /// - Returns: The new objects that became updates of stored ones.
  /// - Throws: ``DataStoreError/outcomeUnknown`` if the store returned no identifier for a new
  ///   object.
  mutating func adopt(
    _ batch: SavePlan.Batch,
    with result: StoreChangesResult,
    isLate: Bool = false
  ) throws -> SaveMerges {
    saved.note(batch.changes.saveIdentifier, result, of: batch.store)
    if !batch.changes.bulkChanges.isEmpty {
      saved.deleted += result.deleted
      saved.updated += result.updated
      if !result.deleted.isEmpty { objects.noteDeletions() }
    }
    saved.updated += batch.unseen
    adopt(deleted: batch.deletedRuns)
    adopt(changed: batch.changedRuns, isLate: isLate)
    return try adopt(inserted: batch.insertedRuns, with: result)
  }

  private mutating func adopt(deleted runs: [EntityRun]) {
    saved.deleted.reserveCapacity(runs.reduce(saved.deleted.count) { $0 + $1.models.count })
    for run in runs {
      let registration = run.registration
      for model in run.models {
        let identifier = registration.identifier(of: model, key: model._$state.key)
        saved.deleted.append(identifier)
        registration.identityMap.remove(identifier.key)
        objects.forget(model)
        if registration.hasRelationships { model.releaseRelated { _ in true } }
      }
    }
  }

  private mutating func adopt(changed runs: [EntityRun], isLate: Bool) {
    saved.updated.reserveCapacity(runs.reduce(saved.updated.count) { $0 + $1.models.count })
    for run in runs {
      let registration = run.registration
      for model in run.models {
        let key = model._$state.endChanges()
        saved.updated.append(registration.identifier(of: model, key: key))
        if !isLate, registration.hasRelationships { model.forgetMemberChanges() }
      }
    }
  }

  private mutating func adopt(
    inserted runs: [EntityRun],
    with result: StoreChangesResult
  ) throws -> SaveMerges {
    var merges = SaveMerges()
    saved.inserted.reserveCapacity(runs.reduce(saved.inserted.count) { $0 + $1.models.count })
    for (index, run) in runs.enumerated() {
      let firstKey = result.firstKeys.indices.contains(index) ? result.firstKeys[index] : nil
      if let firstKey, result.remapped.isEmpty {
        adopt(run, from: firstKey, version: result.version)
      } else {
        try adopt(run, from: firstKey, with: result, &merges)
      }
    }
    saved.hasMerged = saved.hasMerged || !result.merged.isEmpty
    return merges
  }

  /// Gives new objects their rows, some of which have other keys than the following ones.
  private mutating func adopt(
    _ run: EntityRun,
    from firstKey: Int64?,
    with result: StoreChangesResult,
    _ merges: inout SaveMerges
  ) throws {
    var key = firstKey
    for model in run.models {
      let temporary = model.persistentModelID
      let following = key.map {
        PersistentIdentifier(scope: run.registration.scope, key: .integer($0))
      }
      let named = result.remapped[temporary]
      guard let permanent = named ?? following else {
        throw Self.nameless(entity: temporary.entityName)
      }
      if named == nil { key? += 1 }
      let isMerged = !result.merged.isEmpty && result.merged.contains(temporary)
      if isMerged { merges.note(permanent) }
      if !adoptSave(model, as: permanent, version: result.version) {
        merges.note(model, became: permanent)
      }
      if isMerged {
        saved.updated.append(permanent)
      } else {
        saved.inserted.append(permanent)
      }
    }
  }

  /// Gives new objects consecutive keys; none has become an update of a stored row.
  private mutating func adopt(_ run: EntityRun, from firstKey: Int64, version: Int64) {
    let scope = run.registration.scope
    var key = firstKey
    for model in run.models {
      if let extra = model.existingExtra {
        extra.endChanges()
        model.forgetMemberChanges()
      }
      model._$state.adoptSave(key: key, version: version)
      saved.inserted.append(PersistentIdentifier(scope: scope, key: .integer(key)))
      key += 1
    }
    objects.register(run.models, from: firstKey, in: run.registration)
  }

  private static func nameless(entity: String) -> DataStoreError {
    DataStoreError(
      .outcomeUnknown,
      "the store saved a new object and returned no permanent identifier for it in "
        + "StoreChangesResult.remapped; open the store again to see what it has",
      entity: entity
    )
  }

  /// Gives a new object its permanent identity.
  ///
  /// The context may have an object of that identity already, if the new one became an update of
  /// its row. That object then stays, and the new one leaves the context. The new one also leaves
  /// if the row is of another class.
  ///
  /// - Returns: Whether the object stays.
  private func adoptSave(
    _ model: any PersistentModel,
    as permanent: PersistentIdentifier,
    version: Int64
  ) -> Bool {
    guard let registration = model.registration else {
      model._$state.version = version
      return true
    }
    model.forgetMemberChanges()
    if registration.identityMap.model(for: permanent.key) != nil
      || permanent.entityName != registration.entity.name
    {
      model.detach()
      model.modelExtra.identifier = permanent
      model._$state.version = version
      return false
    }
    model.existingExtra?.endChanges()
    let number = permanent.integerKey
    model._$state.adoptSave(key: number ?? .min, version: version)
    if number == nil { model.modelExtra.identifier = permanent }
    objects.register(model, key: permanent.key, in: registration)
    return true
  }
}

extension _ModelState {
  /// Makes the state that of an object whose row was just written.
  fileprivate mutating func adoptSave(key: Int64, version: Int64) {
    flags.remove([.inserted, .changed])
    dirty = 0
    self.key = key
    self.version = version
  }
}
