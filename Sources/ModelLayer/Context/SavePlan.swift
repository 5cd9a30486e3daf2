import StoreProtocol

/// The pending changes of a context as plain values, one batch a store.
struct SavePlan {
  /// The part of a save that goes to one store.
  struct Batch {
    /// The store.
    let backend: any StoreBackend
    /// What it is asked.
    var changes: StoreChanges
    /// The new objects, in the order of the batch.
    var inserted: [any PersistentModel] = []
    /// The changed objects.
    var changed: [any PersistentModel] = []
    /// The objects to remove.
    var deleted: [any PersistentModel] = []
  }

  /// The batches, in the order of the stores.
  private(set) var batches: [Batch] = []
  private let positions: [ObjectIdentifier: Int]

  /// Takes the values of all objects that changed.
  ///
  /// - Throws: `SwiftDataError.modelValidationFailure` when a value cannot be encoded.
  init(_ pending: PendingChanges, editingState: EditingState) throws {
    let inserted = pending.inserted
    positions = Dictionary(
      inserted.enumerated().map { (ObjectIdentifier($1), $0) },
      uniquingKeysWith: { first, _ in first }
    )
    for model in pending.deleted {
      append(model, editingState) { batch in
        batch.deleted.append(model)
        batch.changes.deleted.append(model.persistentModelID)
      }
    }
    for model in pending.changed {
      let changes = try self.changes(of: model)
      append(model, editingState) { batch in
        batch.changed.append(model)
        guard !changes.isEmpty else { return }
        let update = StoreUpdate(identifier: model.persistentModelID, changes: changes)
        batch.changes.updated.append(update)
      }
    }
    for model in inserted {
      let record = try record(of: model)
      append(model, editingState) { batch in
        batch.inserted.append(model)
        batch.changes.inserted.append(record)
      }
    }
  }

  private mutating func append(
    _ model: any PersistentModel,
    _ editingState: EditingState,
    _ change: (inout Batch) -> Void
  ) {
    guard let backend = model.registration?.backend else { return }
    if let index = batches.firstIndex(where: { $0.backend === backend }) {
      change(&batches[index])
    } else {
      var batch = Batch(backend: backend, changes: StoreChanges(editingState: editingState))
      change(&batch)
      batches.append(batch)
    }
  }

  private func record(of model: any PersistentModel) throws -> DefaultSnapshot {
    guard let registration = model.registration else {
      throw SwiftDataError.missingModelContext
    }
    let writer = ValuesWriter(registration, positions: positions)
    for index in registration.entity.properties.indices {
      model.mergePendingMembers(index)
      model._$write(index, to: writer)
      if let failure = writer.failure { throw Self.error(failure, registration) }
    }
    return DefaultSnapshot(
      persistentIdentifier: model.persistentModelID,
      entity: registration.entity,
      values: writer.values
    )
  }

  private func changes(of model: any PersistentModel) throws -> [StoreUpdate.Change] {
    guard let registration = model.registration else {
      throw SwiftDataError.missingModelContext
    }
    let writer = ValuesWriter(registration, positions: positions)
    var changes: [StoreUpdate.Change] = []
    for index in model.dirtyIndices {
      model.mergePendingMembers(index)
      model._$write(index, to: writer)
      if let failure = writer.failure { throw Self.error(failure, registration) }
      if writer.wasLoaded(index) { changes.append(StoreUpdate.Change(index, writer.values[index])) }
    }
    return changes
  }

  private static func error(
    _ failure: (index: Int, error: any Error),
    _ registration: EntityRegistration
  ) -> SwiftDataError {
    .modelValidationFailure.with(
      "the value cannot be encoded, so that nothing was saved",
      entity: registration.entity.name,
      property: registration.entity.properties[failure.index].name,
      cause: failure.error
    )
  }
}

/// Takes the stored form of an object's values.
private final class ValuesWriter: RowWriter {
  private(set) var values: [StoreValue]
  private var unloaded: Set<Int> = []
  private let registration: EntityRegistration
  private let positions: [ObjectIdentifier: Int]

  init(_ registration: EntityRegistration, positions: [ObjectIdentifier: Int]) {
    self.registration = registration
    self.positions = positions
    values = [StoreValue](repeating: .null, count: registration.entity.properties.count)
  }

  func wasLoaded(_ index: Int) -> Bool { !unloaded.contains(index) }

  override func write(_ value: StoreValue, at index: Int) {
    values[index] = value
  }

  override func write(_ model: (any PersistentModel)?, key: Int64, at index: Int) {
    if let model {
      values[index] = model.isDeleted ? .null : .identifier(model.persistentModelID)
    } else if key != 0, key != .min,
      let destination = registration.entity.properties[index].relationship?.destination
    {
      let scope = PersistentIdentifier.Scope(
        storeIdentifier: registration.backend.identifier,
        entityName: destination
      )
      values[index] = .identifier(PersistentIdentifier(scope: scope, key: .integer(key)))
    } else if key == .min {
      unloaded.insert(index)
    } else {
      values[index] = .null
    }
  }

  override func write(_ models: [any PersistentModel]?, at index: Int) {
    guard let models else {
      unloaded.insert(index)
      return
    }
    let members = models.filter { !$0.isDeleted }
    if registration.entity.properties[index].isDerivedToMany, isNatural(members) {
      values[index] = .null
    } else {
      values[index] = .identifiers(members.map(\.persistentModelID))
    }
  }

  /// Whether members stand in the order of the keys that they have or will get.
  private func isNatural(_ members: [any PersistentModel]) -> Bool {
    // Stores that know nothing of derived relationships need the list in any case.
    guard registration.backend.derivesMembers else { return false }
    return zip(members, members.dropFirst()).allSatisfy { first, second in
      switch (positions[ObjectIdentifier(first)], positions[ObjectIdentifier(second)]) {
      case (let a?, let b?): a < b
      case (nil, .some): true
      case (.some, nil): false
      case (nil, nil): first.persistentModelID < second.persistentModelID
      }
    }
  }
}
