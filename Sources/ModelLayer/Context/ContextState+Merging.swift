import ModelRuntime
import StoreProtocol

extension ContextState {
  /// The number of attempts of a save that conflicts with other saves.
  static let mostAttempts = 64

  /// Refuses a save whose merge policy a store does not support, before anything is stored.
  func checkMergePolicy(_ plan: SavePlan) throws {
    guard mergePolicy.needsVersions else { return }
    for batch in plan.batches where !(batch.changedRuns + batch.deletedRuns).isEmpty {
      let support = batch.store.capabilities.versions
      guard support != .native else { continue }
      var reason = "the store does not check them itself"
      if case .unsupported(let text) = support { reason = text }
      throw DataStoreError(
        .unsupportedFeature,
        "the merge policy needs row versions: \(reason); use mergeByProperty",
        entity: (batch.changedRuns + batch.deletedRuns).first?.registration.entity.name
      )
    }
  }

  /// Applies a batch to a store, and resolves conflicts with other saves by the policy.
  func apply(_ batch: SavePlan.Batch) throws -> (merged: MergedBatch, result: StoreChangesResult) {
    guard needsVersions(batch) else { return try applyAnyway(batch) }
    let original = MergedBatch(batch, by: mergePolicy)
    var merged = original
    for _ in 0..<Self.mostAttempts {
      do {
        return (merged, try applied(merged))
      } catch let error as DataStoreError where error.code == .conflict {
        let rows = try StoredRows(of: original.models)
        let asked = merged.batch.changes
        merged = original.recorded
        try merged.resolve(with: rows, by: mergePolicy)
        // If no other save came in between, the store's error has another reason.
        if asked.isSame(as: merged.batch.changes) { throw error }
      }
    }
    throw Self.overtaken
  }

  /// The error of a save that other saves overtook too often.
  static let overtaken = DataStoreError(
    .conflict,
    "other saves changed the same objects first, \(mostAttempts) times in a row; nothing was saved; "
      + "save again"
  )

  /// Whether a batch is compared with other saves.
  ///
  /// It is, either as a whole, or because rows at both ends of a relationship must agree, or because
  /// delete rules rest on the relationships of a deleted row.
  private func needsVersions(_ batch: SavePlan.Batch) -> Bool {
    if mergePolicy.needsVersions { return true }
    return batch.store.capabilities.versions == .native
      && (batch.changedRuns.contains(where: \.registration.hasPairs)
        || batch.deletedRuns.contains(where: \.registration.facts.hasOwnRules))
  }

  /// Applies a batch regardless of other saves; an update of a row that no longer exists is
  /// refused.
  private func applyAnyway(
    _ batch: SavePlan.Batch
  ) throws -> (merged: MergedBatch, result: StoreChangesResult) {
    do {
      let merged = MergedBatch(unversioned: batch)
      return (merged, try applied(merged))
    } catch let error as DataStoreError where error.code == .conflict {
      let merged = MergedBatch(batch, by: mergePolicy).recorded
      let updated = merged.models.filter { !$0.isMarkedDeleted }
      let rows = try StoredRows(of: updated)
      let gone = updated.filter { rows[$0.persistentModelID] == nil }
      if gone.isEmpty { throw error }
      throw MergeConflicts(conflicts: gone.map { merged.deletionThere(of: $0) }).error
    }
  }

  /// Updates the objects of a batch that was applied to the stored values.
  func conclude(_ merged: MergedBatch, with result: StoreChangesResult) {
    adopt(merged, result)
    for model in merged.refreshed + merged.kept {
      model._$state.endChanges()
      model.forgetMemberChanges()
    }
  }

  /// Updates the objects of a batch that was found to be applied later; changes made since are
  /// kept.
  func concludeLate(_ merged: MergedBatch, with result: StoreChangesResult) {
    adopt(merged, result)
    refreshMerged([merged])
  }

  private func adopt(_ merged: MergedBatch, _ result: StoreChangesResult) {
    let compared = merged.batch.changes.expectedVersions
    if !compared.isEmpty {
      let outdated = Set(merged.refreshed.map(ObjectIdentifier.init))
      for model in merged.batch.changed
      where compared[model.persistentModelID] != nil
        && !outdated.contains(ObjectIdentifier(model))
      {
        model._$state.version = result.version
      }
    }
    for model in merged.vanished { vanish(model) }
    for model in merged.kept { model._$state.flags.remove(.deleted) }
  }

  /// Reads the objects again whose rows other saves had changed.
  func refreshMerged(_ merged: [MergedBatch]) {
    let stale = merged.flatMap { $0.refreshed + $0.kept }
    if stale.isEmpty, merged.allSatisfy({ $0.vanished.isEmpty }) { return }
    unloadToMany()
    readAgain(stale.map(\.persistentModelID))
  }

  /// Reads the registered objects of rows again, after a save.
  func readAgain(_ rows: [PersistentIdentifier]) {
    for (_, rows) in Dictionary(grouping: rows, by: \.entityName) {
      guard let registration = rows.first.flatMap(entry)?.registration else { continue }
      // The save is complete in any case. An object that cannot be read keeps its version, so that
      // its next save detects the conflict.
      if (try? fetchRows(Set(rows.map(\.key)), of: registration)) == nil { trustsVersions = false }
    }
  }
}

extension StoreChanges {
  fileprivate func isSame(as other: StoreChanges) -> Bool {
    expectedVersions == other.expectedVersions && deleted == other.deleted
      && updates.flatMap(\.identifiers) == other.updates.flatMap(\.identifiers)
  }
}
