import ModelRuntime
import StoreProtocol

extension Save {
  /// Resolves the conflicts of a planned save with other saves.
  ///
  /// - Parameters:
  ///   - policy: The policy of the context.
  ///   - error: The error of the store.
  /// - Returns: The save to be applied next.
  /// - Throws: ``DataStoreError/conflict`` with all objects for which the policy requires it, or that
  ///   no longer exist if versions are not compared, and errors of the closure of a policy.
  func resolved(by policy: MergePolicy, after error: DataStoreError) throws -> Save {
    let models = comparesVersions ? models : models.filter { !$0.isMarkedDeleted }
    let rows = try StoredRows(of: models)
    var save = self
    save.changes = changes.recorded
    let updates = Dictionary(firstOf: save.changes.updated.map { ($0.identifier, $0) })
    guard comparesVersions else {
      let gone = models.filter { rows[$0.persistentModelID] == nil }
      if gone.isEmpty { throw error }
      throw MergeConflicts(
        conflicts: gone.map {
          MergeConflict(.deletedThere, $0, update: updates[$0.persistentModelID], row: nil)
        }
      ).error
    }
    try save.resolve(models, rows, updates, policy)
    return save
  }

  private mutating func resolve(
    _ models: [any PersistentModel],
    _ rows: StoredRows,
    _ updates: [PersistentIdentifier: StoreUpdate],
    _ policy: MergePolicy
  ) throws {
    var refused: [MergeConflict] = []
    var resolved = Resolved()
    for model in models {
      let identifier = model.persistentModelID
      let row = rows[identifier]
      let expected = changes.expectedVersions[identifier]
      if let row, expected == nil || row.version == expected { continue }
      let conflict: MergeConflict
      let isResolved: Bool
      if model.isMarkedDeleted {
        changes.expectedVersions[identifier] = row?.version
        guard let row else { continue }
        conflict = MergeConflict(.deletedHere, model, update: nil, row: row)
        isResolved = try resolveDeletion(conflict, of: model, policy, &resolved)
      } else {
        guard let update = updates[identifier] else { continue }
        let kind = row == nil ? MergeConflict.Kind.deletedThere : .changedOnBothSides
        conflict = MergeConflict(kind, model, update: update, row: row)
        isResolved = try resolveChange(conflict, of: model, update, row, policy, &resolved)
      }
      if !isResolved { refused.append(conflict) }
    }
    if !refused.isEmpty { throw MergeConflicts(conflicts: refused).error }
    if let first = resolved.outdated.first {
      throw DataStoreError(
        .conflict,
        "another save changed a relationship of \(first.row), which this save deletes; fetch again",
        entity: first.row.entityName,
        property: first.property,
        identifiers: resolved.outdated.map(\.row)
      )
    }
    try apply(resolved)
  }

  /// The results of the conflicts of several objects.
  private struct Resolved {
    /// The remaining changes of each object, or none if its row keeps its values.
    var changes: [PersistentIdentifier: [StoreUpdate.Change]] = [:]
    /// The conflicts whose relationships are merged.
    var merged: [(conflict: MergeConflict, model: any PersistentModel)] = []
    /// The deleted rows whose delete rules were applied to other related objects than they have now.
    var outdated: [(row: PersistentIdentifier, property: String)] = []
  }

  /// Replaces the changes of objects by those that remain, for all of them at once.
  private mutating func apply(_ resolved: Resolved) throws {
    let unchanged = resolved.changes.filter(\.value.isEmpty)
    if !resolved.changes.isEmpty {
      changes.updated = changes.updated.compactMap { update in
        guard let changes = resolved.changes[update.identifier] else { return update }
        return changes.isEmpty ? nil : StoreUpdate(identifier: update.identifier, changes: changes)
      }
    }
    if !unchanged.isEmpty { changed.removeAll { unchanged[$0.persistentModelID] != nil } }
    if !kept.isEmpty {
      let kept = Set(kept.map(\.persistentModelID))
      deleted.removeAll { kept.contains($0.persistentModelID) }
      changes.deleted.removeAll(where: kept.contains)
    }
    for row in unchanged.keys { changes.expectedVersions[row] = nil }
    guard !resolved.merged.isEmpty else { return }
    var updated = Set(changes.updates.flatMap { $0.identifiers.map(\.key) })
    for (conflict, model) in resolved.merged {
      let changes = resolved.changes[conflict.identifier] ?? []
      try release(conflict, changes, of: model, except: &updated)
    }
  }

  /// Resolves the conflict of a changed object; returns `false` if the policy refuses the save.
  private mutating func resolveChange(
    _ conflict: MergeConflict,
    of model: any PersistentModel,
    _ update: StoreUpdate,
    _ row: StoredRows.Row?,
    _ policy: MergePolicy,
    _ resolved: inout Resolved
  ) throws -> Bool {
    guard let row else {
      guard try policy.resolution(of: conflict).keepsStoredValues else { return false }
      vanished.append(model)
      resolved.changes[conflict.identifier] = []
      return true
    }
    changes.expectedVersions[conflict.identifier] = row.version
    refreshed.append(model)
    // Another save that changed nothing that this context has read is not a conflict.
    guard conflict.properties.contains(where: \.isChangedThere) else { return true }
    let resolution = try policy.resolution(of: conflict)
    if resolution.isRefusal { return false }
    resolved.changes[conflict.identifier] =
      resolution.changes(for: conflict, instead: update, in: model.registration?.entity)
    if !policy.needsVersions { resolved.merged.append((conflict, model)) }
    return true
  }

  /// Resolves the conflict of a deleted object; returns `false` if the policy refuses the save.
  private mutating func resolveDeletion(
    _ conflict: MergeConflict,
    of model: any PersistentModel,
    _ policy: MergePolicy,
    _ resolved: inout Resolved
  ) throws -> Bool {
    let isChanged = conflict.properties.contains(where: \.isChangedThere)
    let resolution = isChanged ? try policy.resolution(of: conflict) : .merging
    if resolution.isRefusal { return false }
    if resolution.keepsStoredValues {
      kept.append(model)
      changes.expectedVersions[conflict.identifier] = nil
    } else if let property = conflict.outdatedRule(in: model.registration?.entity) {
      resolved.outdated.append((conflict.identifier, property))
    }
    return true
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
      if property.isDerivedToMany { return nil }
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
