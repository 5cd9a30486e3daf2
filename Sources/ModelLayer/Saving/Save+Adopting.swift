import ModelRuntime
import StoreProtocol

extension Save {
  /// Applies the store's result to the objects.
  ///
  /// - Parameters:
  ///   - objects: The objects of the context.
  ///   - isLate: Whether the program continued meanwhile, so that related objects may have been
  ///     added since.
  /// - Throws: ``DataStoreError/outcomeUnknown`` if the store returned no identifier for a new
  ///   object.
  mutating func adopt(in objects: RegisteredObjects, isLate: Bool = false) throws {
    if !changes.bulkChanges.isEmpty {
      deletedRows = result.deleted
      updatedRows = result.updated
      if !result.deleted.isEmpty { objects.noteDeletions() }
    }
    updatedRows += unseen
    if !deletedRuns.isEmpty { adoptDeletions(in: objects) }
    if !changedRuns.isEmpty { adoptChanges(isLate: isLate) }
    if !insertedRuns.isEmpty { try adoptInsertions(in: objects) }
    state = .adopted
  }

  private mutating func adoptDeletions(in objects: RegisteredObjects) {
    deletedRows.reserveCapacity(deletedRuns.reduce(deletedRows.count) { $0 + $1.models.count })
    for run in deletedRuns {
      let registration = run.registration
      for model in run.models {
        let identifier = registration.identifier(of: model, key: model._$state.key)
        deletedRows.append(identifier)
        registration.identityMap.remove(identifier.key)
        objects.forget(model)
        if registration.hasRelationships { model.releaseRelated { _ in true } }
      }
    }
  }

  private mutating func adoptChanges(isLate: Bool) {
    updatedRows.reserveCapacity(changedRuns.reduce(updatedRows.count) { $0 + $1.models.count })
    for run in changedRuns {
      let registration = run.registration
      for model in run.models {
        let key = model._$state.endChanges()
        updatedRows.append(registration.identifier(of: model, key: key))
        if !isLate, registration.hasRelationships { model.forgetMemberChanges() }
      }
    }
  }

  private mutating func adoptInsertions(in objects: RegisteredObjects) throws {
    insertedRows.reserveCapacity(insertedRuns.reduce(0) { $0 + $1.models.count })
    for (index, run) in insertedRuns.enumerated() {
      let firstKey = result.firstKeys.indices.contains(index) ? result.firstKeys[index] : nil
      if let firstKey, result.remapped.isEmpty {
        adopt(run, from: firstKey, in: objects)
      } else {
        try adopt(run, naming: firstKey, in: objects)
      }
    }
  }

  /// Gives new objects their rows, some of which have other keys than the following ones.
  private mutating func adopt(
    _ run: EntityRun,
    naming firstKey: Int64?,
    in objects: RegisteredObjects
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
      if isMerged { mergedRows.insert(permanent) }
      if !adopt(model, as: permanent, in: objects) {
        left.append((model, permanent))
        mergedRows.insert(permanent)
      }
      if isMerged { updatedRows.append(permanent) } else { insertedRows.append(permanent) }
    }
  }

  /// Gives new objects consecutive keys; none has become an update of a stored row.
  private mutating func adopt(
    _ run: EntityRun,
    from firstKey: Int64,
    in objects: RegisteredObjects
  ) {
    let scope = run.registration.scope
    let version = result.version
    var key = firstKey
    for model in run.models {
      if let extra = model.existingExtra {
        extra.endChanges()
        model.forgetMemberChanges()
      }
      model._$state.adoptSave(key: key, version: version)
      insertedRows.append(PersistentIdentifier(scope: scope, key: .integer(key)))
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
  private func adopt(
    _ model: any PersistentModel,
    as permanent: PersistentIdentifier,
    in objects: RegisteredObjects
  ) -> Bool {
    let version = result.version
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

extension Save {
  /// The position of the save in the history of its store, or `nil` if the store keeps none.
  var token: (any HistoryToken)? {
    guard store is any HistoryKeeping, store.capabilities.history.isSupported else { return nil }
    return DefaultHistoryToken(
      store.identifier,
      result.version,
      save: result.isInHistory ? changes.saveIdentifier : nil
    )
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
