import ModelRuntime
import StoreProtocol

/// The part of a save for one store, with conflicts with other saves resolved.
///
/// It is created again from the pending changes whenever another save came first, so that no
/// attempt builds upon an earlier one. The objects are changed after the store has accepted it.
struct MergedBatch {
  /// The changes to apply.
  private(set) var batch: SavePlan.Batch
  /// Objects whose rows others had changed, to be read again after the save.
  private(set) var refreshed: [any PersistentModel] = []
  /// Objects that others had deleted.
  private(set) var vanished: [any PersistentModel] = []
  /// Objects whose deletion was reverted.
  private(set) var kept: [any PersistentModel] = []
  private var refused: [MergeConflict] = []
  /// The deleted rows whose delete rules were applied to other related objects.
  private var outdated: [(row: PersistentIdentifier, property: String)] = []
  /// The rows that the batch changes.
  private var updated: Set<PersistentIdentifier> = []
  /// Their changes, as far as they were needed.
  private var updates: [PersistentIdentifier: StoreUpdate] = [:]

  /// Creates a batch that changes rows at any version.
  init(unversioned batch: SavePlan.Batch) {
    self.batch = batch
  }

  /// Creates a batch that expects rows at the versions from which their objects were read.
  ///
  /// This holds for the rows that the policy compares.
  init(_ batch: SavePlan.Batch, by policy: MergePolicy) {
    self.batch = batch
    updated = Set(batch.changes.updates.flatMap(\.identifiers))
    let paired = Self.rowsChangedAtBothEnds(batch)
    for model in models
    where policy.needsVersions || paired.contains(model.persistentModelID)
      || Self.hasOwnRules(model)
    {
      self.batch.changes.expectedVersions[model.persistentModelID] = model._$state.version
    }
  }

  /// The batch with the current values of all objects, which may change before the outcome is known.
  var recorded: MergedBatch {
    var merged = self
    merged.batch.changes = batch.changes.recorded
    merged.updates = Dictionary(
      firstOf: merged.batch.changes.updated.map { ($0.identifier, $0) }
    )
    return merged
  }

  /// Returns the rows that are changed together with those at the other end of a relationship.
  ///
  /// The two rows must continue to agree, so that no row is written over the change of another
  /// save.
  private static func rowsChangedAtBothEnds(_ batch: SavePlan.Batch) -> Set<PersistentIdentifier> {
    let schema = batch.store.schema.storeSchema
    let runs = batch.changes.updates.filter { run in
      let properties = schema.entity(named: run.entityName)?.properties ?? []
      return run.properties.contains {
        properties.indices.contains($0) && properties[$0].isKeptByBothEnds
      }
    }
    return Set(runs.flatMap(\.identifiers))
  }

  /// Whether an object is deleted, and delete rules apply to relationships that its row contains.
  private static func hasOwnRules(_ model: any PersistentModel) -> Bool {
    model.isMarkedDeleted && model.registration?.facts.hasOwnRules == true
  }

  /// Returns the conflict of an object that was changed here and no longer exists.
  func deletionThere(of model: any PersistentModel) -> MergeConflict {
    MergeConflict(.deletedThere, model, update: updates[model.persistentModelID], row: nil)
  }

  /// The objects whose rows the batch changes or removes.
  var models: [any PersistentModel] {
    batch.changed.filter { updated.contains($0.persistentModelID) } + batch.deleted
  }

  /// Resolves conflicts with other saves of the rows; the changes must be ``recorded``.
  ///
  /// - Throws: ``DataStoreError/conflict`` with all objects for which the policy requires it, and
  ///   errors of the closure of a policy.
  mutating func resolve(with rows: StoredRows, by policy: MergePolicy) throws {
    for model in models {
      let identifier = model.persistentModelID
      let row = rows[identifier]
      let expected = batch.changes.expectedVersions[identifier]
      if let row, expected == nil || row.version == expected { continue }
      if model.isMarkedDeleted {
        try resolveDeletion(of: model, row, policy)
      } else {
        try resolveChange(of: model, row, policy)
      }
    }
    if !refused.isEmpty { throw MergeConflicts(conflicts: refused).error }
    if let first = outdated.first {
      throw DataStoreError(
        .conflict,
        "another save changed a relationship of \(first.row), which this save deletes; fetch again",
        entity: first.row.entityName,
        property: first.property,
        identifiers: outdated.map(\.row)
      )
    }
  }

  private mutating func resolveChange(
    of model: any PersistentModel,
    _ row: StoredRows.Row?,
    _ policy: MergePolicy
  ) throws {
    let identifier = model.persistentModelID
    guard let update = updates[identifier] else { return }
    let conflict = MergeConflict(
      row == nil ? .deletedThere : .changedOnBothSides,
      model,
      update: update,
      row: row
    )
    guard let row else {
      if try policy.resolution(of: conflict).keepsStoredValues {
        vanish(model)
      } else {
        refuse(conflict)
      }
      return
    }
    batch.changes.expectedVersions[identifier] = row.version
    refreshed.append(model)
    // Another save that changed nothing that this context has read is not a conflict.
    guard conflict.properties.contains(where: \.isChangedThere) else { return }
    let resolution = try policy.resolution(of: conflict)
    guard !resolution.isRefusal else { return refuse(conflict) }
    let changes = resolution.changes(for: conflict, instead: update, in: model.registration?.entity)
    replaceUpdate(of: model, by: changes)
    if policy.mergesMembers { try release(conflict, changes, of: model) }
  }

  private mutating func resolveDeletion(
    of model: any PersistentModel,
    _ row: StoredRows.Row?,
    _ policy: MergePolicy
  ) throws {
    let identifier = model.persistentModelID
    batch.changes.expectedVersions[identifier] = row?.version
    guard let row else { return }
    let conflict = MergeConflict(.deletedHere, model, update: nil, row: row)
    let isChanged = conflict.properties.contains(where: \.isChangedThere)
    let resolution = isChanged ? try policy.resolution(of: conflict) : .merging
    if resolution.isRefusal {
      refuse(conflict)
    } else if resolution.keepsStoredValues {
      kept.append(model)
      batch.deleted.removeAll { $0 === model }
      batch.changes.deleted.removeAll { $0 == identifier }
      batch.changes.expectedVersions[identifier] = nil
    } else if let property = conflict.outdatedRule(in: model.registration?.entity) {
      outdated.append((identifier, property))
    }
  }

  /// Whether a row is among those that the batch changes.
  func isUpdated(_ identifier: PersistentIdentifier) -> Bool {
    batch.changes.updates.contains { $0.identifiers.contains { $0.key == identifier.key } }
  }

  /// Adds the change of a row without an object here.
  mutating func addUpdate(_ update: StoreUpdate, of version: Int64) {
    batch.changes.updated.append(update)
    batch.changes.expectedVersions[update.identifier] = version
  }

  /// Marks an object to be read again after the save.
  mutating func refresh(_ model: any PersistentModel) { refreshed.append(model) }

  private mutating func refuse(_ conflict: MergeConflict) { refused.append(conflict) }

  private mutating func vanish(_ model: any PersistentModel) {
    vanished.append(model)
    replaceUpdate(of: model, by: [])
  }

  private mutating func replaceUpdate(
    of model: any PersistentModel,
    by changes: [StoreUpdate.Change]
  ) {
    let identifier = model.persistentModelID
    var updates = batch.changes.updated
    let index = updates.firstIndex { $0.identifier == identifier }
    guard let index else { return }
    defer { batch.changes.updated = updates }
    guard changes.isEmpty else {
      updates[index] = StoreUpdate(identifier: identifier, changes: changes)
      return
    }
    updates.remove(at: index)
    batch.changes.expectedVersions[identifier] = nil
    batch.changed.removeAll { $0 === model }
  }
}

extension MergeConflict {
  /// Compares an object with its row.
  init(
    _ kind: Kind,
    _ model: any PersistentModel,
    update: StoreUpdate?,
    row: StoredRows.Row?
  ) {
    identifier = model.persistentModelID
    self.kind = kind
    let changes = Dictionary(lastOf: update?.changes.map { ($0.index, $0.value) } ?? [])
    let entity = model.registration?.entity ?? .unnamed
    properties = entity.properties.enumerated().compactMap { index, property in
      if property.isEphemeral || property.isDerivedToMany { return nil }
      let base = model.baseValue(of: index)
      let theirs = row?.values[index]
      let differs = base.flatMap { base in theirs.map { !base.isSame(as: $0) } }
      return Property(
        name: property.name,
        base: base,
        mine: kind == .deletedHere ? nil : changes[index] ?? base,
        theirs: theirs,
        isChangedHere: changes[index] != nil,
        // A property that was set without being loaded has an unknown base. The row was changed, so
        // the property may have been too.
        isChangedThere: differs ?? (row != nil && base == nil && changes[index] != nil)
      )
    }
  }
}

extension MergeConflict {
  /// Returns a relationship of a deleted row that others have changed, and to whose objects a delete
  /// rule applies.
  fileprivate func outdatedRule(in entity: StoreEntity?) -> String? {
    properties.first { property in
      (property.isChangedThere || property.base == nil)
        && entity?.property(named: property.name)?.isOwnRule == true
    }?.name
  }
}

extension MergePolicy {
  /// Returns the policy's resolution of a conflict.
  fileprivate func resolution(of conflict: MergeConflict) throws -> MergeResolution {
    switch kind {
    case .error: .error
    case .mergeByProperty: conflict.kind == .deletedThere ? .error : .merging
    case .storeWins: .theirs
    case .contextWins: .mine(of: conflict.properties.filter(\.isChangedThere).map(\.name))
    case .resolve(let body): try body(conflict)
    }
  }
}

extension MergeResolution {
  fileprivate var isRefusal: Bool {
    if case .error = start { return true }
    return false
  }

  fileprivate var keepsStoredValues: Bool {
    if case .side(.theirs) = start { return true }
    return false
  }

  /// Returns the changes of an update that remain.
  fileprivate func changes(
    for conflict: MergeConflict,
    instead update: StoreUpdate,
    in entity: StoreEntity?
  ) -> [StoreUpdate.Change] {
    guard let entity else { return [] }
    var changes = update.changes.filter {
      !keepsStoredValues && entity.properties[$0.index].isDerivedToMany
    }
    for property in conflict.properties {
      guard let index = entity.indexByName[property.name],
        let value = value(of: property, entity.properties[index]),
        property.theirs.map({ !value.isSame(as: $0) }) ?? true
      else { continue }
      changes.append(StoreUpdate.Change(index, value))
    }
    return changes.sorted { $0.index < $1.index }
  }

  /// Returns the value to be stored, or `nil` to keep the stored value.
  private func value(
    of property: MergeConflict.Property,
    _ description: StoreProperty
  ) -> StoreValue? {
    if mergesMembers, description.isKeptByBothEnds { return property.merged }
    return switch choices[property.name] {
    case .value(let value): value
    case .side(.mine): property.mine
    case .side(.theirs): nil
    case nil: !keepsStoredValues && property.isChangedHere ? property.mine : nil
    }
  }
}
