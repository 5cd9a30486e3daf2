import StoreProtocol

extension ContextState {
  /// How often a save is tried again because yet another came first.
  private static let mostAttempts = 64

  /// Refuses a save whose merge policy a store cannot carry out, before anything is stored.
  func checkMergePolicy(_ plan: SavePlan) throws {
    guard mergePolicy.needsVersions else { return }
    for batch in plan.batches where !(batch.changedRuns + batch.deletedRuns).isEmpty {
      let support = batch.backend.capabilities.versions
      guard support != .native else { continue }
      var reason = "the store leaves them to the layer above"
      if case .unsupported(let text) = support { reason = text }
      throw DataStoreError(
        .unsupportedFeature,
        "the merge policy needs versions of rows: \(reason); use mergeByProperty",
        entity: (batch.changedRuns + batch.deletedRuns).first?.registration.entity.name
      )
    }
  }

  /// Has a store apply a batch, with what others did to the same rows settled by the policy.
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
        merged = original
        try merged.settle(with: rows, by: mergePolicy)
        // Where nothing came between, the store's reason is another.
        if asked.isSame(as: merged.batch.changes) { throw error }
      }
    }
    throw DataStoreError(
      .conflict,
      "other saves of the same objects came first \(Self.mostAttempts) times; nothing was saved, "
        + "save again"
    )
  }

  /// Whether a batch is compared with what others did: as a whole, or where rows at both ends of a
  /// relationship must go on to say the same.
  private func needsVersions(_ batch: SavePlan.Batch) -> Bool {
    if mergePolicy.needsVersions { return true }
    return batch.backend.capabilities.versions == .native
      && batch.changedRuns.contains(where: \.registration.hasPairs)
  }

  /// Has a store apply a batch whatever others did; an update of what is gone is refused.
  private func applyAnyway(
    _ batch: SavePlan.Batch
  ) throws -> (merged: MergedBatch, result: StoreChangesResult) {
    do {
      let merged = MergedBatch(unversioned: batch)
      return (merged, try applied(merged))
    } catch let error as DataStoreError where error.code == .conflict {
      let merged = try MergedBatch(batch.withRecords(), by: mergePolicy)
      let updated = merged.models.filter { !$0.isMarkedDeleted }
      let rows = try StoredRows(of: updated)
      let gone = updated.filter { rows[$0.persistentModelID] == nil }
      if gone.isEmpty { throw error }
      throw MergeConflicts(conflicts: gone.map { merged.deletionThere(of: $0) }).error
    }
  }

  /// Brings the objects of a batch that was applied to what the store holds.
  func conclude(_ merged: MergedBatch, with result: StoreChangesResult) {
    takeOver(merged, result)
    for model in merged.refreshed + merged.kept {
      model._$state.endChanges()
      model.forgetMemberChanges()
    }
  }

  /// The same for a batch of which it became known later that it was applied; what was changed since
  /// stays.
  func concludeLate(_ merged: MergedBatch, with result: StoreChangesResult) {
    takeOver(merged, result)
    refreshMerged([merged])
  }

  private func takeOver(_ merged: MergedBatch, _ result: StoreChangesResult) {
    let compared = merged.batch.changes.expectedVersions
    if !compared.isEmpty {
      for model in merged.batch.changed where compared[model.persistentModelID] != nil {
        model._$state.version = result.version
      }
    }
    for model in merged.vanished { vanish(model) }
    for model in merged.kept { model._$state.flags.remove(.deleted) }
  }

  /// Reads the objects again whose rows others had changed.
  func refreshMerged(_ merged: [MergedBatch]) {
    let stale = merged.flatMap { $0.refreshed + $0.kept }
    if stale.isEmpty, merged.allSatisfy({ $0.vanished.isEmpty }) { return }
    foldToMany()
    for case (let registration?, let models) in Dictionary(grouping: stale, by: \.registration) {
      // The save stands whatever happens now; what cannot be read keeps its version, so that the
      // next save of the object finds out.
      let keys = Set(models.map(\.persistentModelID.key))
      if (try? fetchRows(keys, of: registration)) == nil { trustsVersions = false }
    }
  }
}

extension StoreChanges {
  /// Whether a store would be asked the same of rows that are there already.
  fileprivate func isSame(as other: StoreChanges) -> Bool {
    expectedVersions == other.expectedVersions && deleted == other.deleted
      && updated.map(\.identifier) == other.updated.map(\.identifier)
  }
}
