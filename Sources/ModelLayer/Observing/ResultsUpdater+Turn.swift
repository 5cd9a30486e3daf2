import ModelRuntime
import StoreProtocol

extension ResultsUpdater {
  /// Evaluates what changed, updates the context's objects, and notifies the results concerned.
  func turn() {
    let local = beginTurn()
    let changes = box.take()
    if isIdle { return context.updater = nil }
    guard !local.isEmpty || !changes.isEmpty else { return }
    context.feed.applySavesOfOthers()
    postpone(changes)
    let round = Round(
      local: local,
      changes: changes,
      rows: rows(changedBy: changes),
      merging: mergingRoots()
    )
    for results in round.concerned(of: self) {
      let update = round.update(of: results, in: self)
      guard update.change != .nothing else { continue }
      counts.wakes += 1
      results.mayHaveChanged(update)
    }
  }

  /// Reads changed rows: those of objects in the context, to update them, and others to check
  /// whether they belong to a result.
  ///
  /// The other rows are read only as far as that is cheaper than a fetch.
  private func rows(changedBy changes: SavedChanges) -> ChangedRows {
    if changes.isEverything {
      // Objects that cannot be read now keep their values; fetching will report the error.
      try? context.refreshUnchanged()
      return ChangedRows()
    }
    var rows = ChangedRows()
    for (root, changed) in changes.byRoot { read(changed, of: root, into: &rows) }
    counts.rowsRead += rows.count
    return rows
  }

  private func read(_ changed: SavedChanges.Rows, of root: String, into rows: inout ChangedRows) {
    guard let registration = context.registration(named: root) else { return }
    if changed.hasOthers {
      try? context.refreshUnchanged(in: root)
      rows.noteUnread(root)
      return
    }
    let all = changed.inserted.union(changed.updated.keys).subtracting(changed.deleted)
    let isEvaluated = results(required.others(of: root)).contains {
      $0.dependencies.root == root && $0.dependencies.isEvaluatedByRow
        && $0.dependencies.concerns(changed)
    }
    let schema = context.core.schema.storeSchema
    var wanted: [PersistentIdentifier] = []
    for row in all {
      if registration.identityMap.model(for: row.key) != nil {
        wanted.append(row)
      } else if isEvaluated || required.mayJoin(row, by: changed, schema) {
        if all.count > Self.mostEvaluated { rows.noteUnread(root) } else { wanted.append(row) }
      }
    }
    do {
      for model in try context.loader.fetchRows(Set(wanted.map(\.key)), of: registration) {
        rows.add(model)
      }
    } catch {
      rows.noteUnread(root)
    }
  }
}

/// The current objects of rows that others changed.
struct ChangedRows {
  private var byKey: [String: [PersistentIdentifier.Key: any PersistentModel]] = [:]
  private var unread: Set<String> = []
  /// The number of rows that were read.
  private(set) var count = 0

  /// Adds an object that was updated to its row.
  mutating func add(_ model: any PersistentModel) {
    guard let root = model.registration?.entity.root else { return }
    byKey[root, default: [:]][model.persistentModelID.key] = model
    count += 1
  }

  /// Notes that not all changed rows of a hierarchy were read.
  mutating func noteUnread(_ root: String) { unread.insert(root) }

  /// Whether all changed rows of a hierarchy were read.
  func isComplete(_ root: String) -> Bool { !unread.contains(root) }

  /// The object of a row.
  subscript(root: String, key: PersistentIdentifier.Key) -> (any PersistentModel)? {
    byKey[root]?[key]
  }
}

/// The changes between two turns, and their meaning for a result.
private struct Round {
  let local: LocalChanges
  let changes: SavedChanges
  let rows: ChangedRows
  /// The hierarchies in which new objects may replace other objects.
  let merging: Set<String>

  /// Returns the results that the changes can concern, or all if these cannot be determined.
  func concerned(of updater: ResultsUpdater) -> [any UpdatedResults] {
    let roots = changes.byRoot
    let isListed = roots.allSatisfy { root, changed in
      !changed.hasOthers && changed.deleted.isEmpty && rows.isComplete(root)
    }
    guard !changes.isEverything, !local.isEverything, local.others.isEmpty, isListed else {
      return updater.allResults
    }
    let values = PropertyReader()
    let schema = updater.context.core.schema.storeSchema
    var found: Set<ObjectIdentifier> = []
    for root in Set(roots.keys).union(local.byRoot.keys) {
      found.formUnion(updater.required.others(of: root))
    }
    func look(_ model: any PersistentModel, _ name: String, _ bits: UInt64) {
      guard let entity = schema.entity(named: name) else { return }
      found.formUnion(
        updater.required.listeners(entity, changed: bits) { index in
          // Values of an object without a row, or of one that is read in part, are not read.
          guard model.registration != nil, !model.isDeleted,
            !model._$state.flags.contains(.partial),
            case .value(let value) = values.content(of: index, in: model)
          else { return nil }
          return value
        }
      )
    }
    for change in local.byRoot.values.joined() {
      look(change.value.model, change.value.entity, change.value.bits)
    }
    for (root, changed) in roots {
      for row in changed.inserted {
        if let model = rows[root, row.key] { look(model, row.entityName, 0) }
      }
      for (row, bits) in changed.updated {
        if let model = rows[root, row.key] { look(model, row.entityName, bits) }
      }
    }
    return updater.results(found)
  }

  /// Returns the possible changes of a result.
  func update(of results: any UpdatedResults, in updater: ResultsUpdater) -> ResultsUpdate {
    // Whatever a result leaves out, a reset removes its objects.
    if changes.isEverything || local.isEverything { return .list }
    var found =
      results.dependencies.concerns(changes) ? savedUpdate(of: results, in: updater) : .nothing
    if !found.isComplete, results.includesPendingChanges {
      found.add(localUpdate(of: results, in: updater))
    }
    return found
  }

  private func savedUpdate(
    of results: any UpdatedResults,
    in updater: ResultsUpdater
  ) -> ResultsUpdate {
    let dependencies = results.dependencies
    for root in dependencies.roots where root != dependencies.root {
      if let changed = changes.byRoot[root], dependencies.concerns(changed) { return .list }
    }
    guard let changed = changes.byRoot[dependencies.root], dependencies.concerns(changed) else {
      return .nothing
    }
    guard dependencies.isEvaluatedByRow, !changed.hasOthers, rows.isComplete(dependencies.root),
      !merging.contains(dependencies.root)
    else { return .list }
    if !changed.deleted.isEmpty, results.hasMembers(among: changed.deleted) { return .list }
    var found = ResultsUpdate.nothing
    for row in changed.inserted where dependencies.concerns(membershipOf: row.entityName) {
      guard !found.isComplete else { break }
      let model = rows[dependencies.root, row.key]
      found.add(updater.change(of: results, by: model, movesRow: true), by: model)
    }
    for (row, bits) in changed.updated where dependencies.concerns(bits, of: row.entityName) {
      guard !found.isComplete else { break }
      let moves = dependencies.moves(bits, of: row.entityName)
      if changed.deleted.contains(row) { continue }
      let model = rows[dependencies.root, row.key]
      found.add(updater.change(of: results, by: model, movesRow: moves), by: model)
    }
    return found
  }

  private func localUpdate(
    of results: any UpdatedResults,
    in updater: ResultsUpdater
  ) -> ResultsUpdate {
    let dependencies = results.dependencies
    if !local.others.isDisjoint(with: dependencies.roots) { return .list }
    for root in dependencies.roots where root != dependencies.root {
      if local.byRoot[root]?.values.contains(where: dependencies.concerns) == true { return .list }
    }
    let changed = (local.byRoot[dependencies.root] ?? [:]).values.filter(dependencies.concerns)
    if changed.isEmpty { return .nothing }
    guard dependencies.isEvaluatedByRow, !merging.contains(dependencies.root) else { return .list }
    var found = ResultsUpdate.nothing
    for change in changed {
      guard !found.isComplete else { break }
      let moves = change.changesMembership || dependencies.moves(change.bits, of: change.entity)
      found.add(updater.change(of: results, by: change.model, movesRow: moves), by: change.model)
    }
    return found
  }
}

extension QueryDependencies {
  /// Whether the change of an object in the context can matter.
  fileprivate func concerns(_ change: LocalChanges.Change) -> Bool {
    (change.changesMembership && concerns(membershipOf: change.entity))
      || concerns(change.bits, of: change.entity)
  }
}

extension ResultsUpdater {
  /// Returns the effect of a changed object on a result that is evaluated row by row.
  fileprivate func change(
    of results: any UpdatedResults,
    by model: (any PersistentModel)?,
    movesRow: Bool
  ) -> ResultsChange {
    // A row that was not found was removed meanwhile; the removal will be reported separately.
    guard let model else { return .nothing }
    // An object with unsaved changes does not show the stored values.
    if !results.includesPendingChanges, model.isNeededByContext { return .list }
    if results.contains(model) { return movesRow ? .list : .values }
    guard movesRow, !model.isDeleted, model.registration != nil else { return .nothing }
    counts.evaluations += 1
    // If the filter cannot be evaluated, the fetch will report the error.
    return (try? results.accepts(model)) == false ? .nothing : .list
  }

  /// Returns the hierarchies with new objects that may replace others, because of unique values.
  fileprivate func mergingRoots() -> Set<String> {
    let schema = context.core.schema.storeSchema
    var checked: [String: Bool] = [:]
    var roots: Set<String> = []
    for model in context.pending.inserted {
      guard let entity = model.registration?.entity, checked[entity.name] == nil else { continue }
      let isUnique = !schema.constraints(of: entity).isEmpty
      checked[entity.name] = isUnique
      if isUnique { roots.insert(entity.root) }
    }
    return roots
  }
}
