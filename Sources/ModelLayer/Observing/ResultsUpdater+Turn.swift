import ModelRuntime
import StoreProtocol

extension ResultsUpdater {
  /// Evaluates what changed, updates the context's objects, and notifies the results concerned.
  func turn() {
    let local = beginTurn()
    let news = box.take()
    if isIdle { return context.endKeeping() }
    guard !local.isEmpty || !news.isEmpty else { return }
    context.absorbSavesOfOthers()
    postpone(news)
    let round = Round(
      local: local,
      news: news,
      rows: rows(changedBy: news),
      merging: mergingRoots()
    )
    for answer in round.concerned(of: self) {
      let news = round.news(of: answer, in: self)
      guard news.change != .nothing else { continue }
      counts.wakes += 1
      answer.mayHaveChanged(news)
    }
  }

  /// Reads changed rows: those of objects in the context, to update them, and others to check
  /// whether they belong to a result.
  ///
  /// The other rows are read only as far as that is cheaper than a fetch.
  private func rows(changedBy news: SavedChanges) -> ChangedRows {
    if news.isEverything {
      // Objects that cannot be read now keep their values; fetching will report the error.
      try? context.refreshUnchanged()
      return ChangedRows()
    }
    var rows = ChangedRows()
    for (root, changed) in news.byRoot { read(changed, of: root, into: &rows) }
    counts.rowsRead += rows.count
    return rows
  }

  private func read(_ changed: SavedChanges.Rows, of root: String, into rows: inout ChangedRows) {
    guard let place = context.registration(named: root) else { return }
    if changed.hasOthers {
      try? context.refreshUnchanged(in: root)
      rows.noteUnread(root)
      return
    }
    let all = changed.inserted.union(changed.updated.keys).subtracting(changed.deleted)
    let isJudged = answers(required.others(of: root)).contains {
      $0.dependencies.root == root && $0.dependencies.isJudgedByRow
        && $0.dependencies.concerns(changed)
    }
    let schema = context.core.schema.storeSchema
    var wanted: [PersistentIdentifier] = []
    for row in all {
      if place.identityMap.model(for: row.key) != nil {
        wanted.append(row)
      } else if isJudged || required.mayJoin(row, by: changed, schema) {
        if all.count > Self.mostJudged { rows.noteUnread(root) } else { wanted.append(row) }
      }
    }
    do {
      for model in try context.fetchRows(Set(wanted.map(\.key)), of: place) {
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
  let news: SavedChanges
  let rows: ChangedRows
  /// The hierarchies in which new objects may replace other objects.
  let merging: Set<String>

  /// Returns the results that the changes can concern, or all if these cannot be determined.
  func concerned(of updater: ResultsUpdater) -> [any UpdatedResults] {
    let roots = news.byRoot
    let isListed = roots.allSatisfy { root, changed in
      !changed.hasOthers && changed.deleted.isEmpty && rows.isComplete(root)
    }
    guard !news.isEverything, !local.isEverything, local.others.isEmpty, isListed else {
      return updater.answers
    }
    let values = ContentWriter()
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
    return updater.answers(found)
  }

  /// Returns the possible changes of a result.
  func news(of answer: any UpdatedResults, in updater: ResultsUpdater) -> ResultsUpdate {
    // Whatever a result leaves out, a reset removes its objects.
    if news.isEverything || local.isEverything { return .list }
    var found = answer.dependencies.concerns(news) ? savedNews(of: answer, in: updater) : .nothing
    if !found.isComplete, answer.includesPendingChanges {
      found.add(localNews(of: answer, in: updater))
    }
    return found
  }

  private func savedNews(of answer: any UpdatedResults, in updater: ResultsUpdater) -> ResultsUpdate
  {
    let dependencies = answer.dependencies
    for root in dependencies.roots where root != dependencies.root {
      if let changed = news.byRoot[root], dependencies.concerns(changed) { return .list }
    }
    guard let changed = news.byRoot[dependencies.root], dependencies.concerns(changed) else {
      return .nothing
    }
    guard dependencies.isJudgedByRow, !changed.hasOthers, rows.isComplete(dependencies.root),
      !merging.contains(dependencies.root)
    else { return .list }
    if !changed.deleted.isEmpty, answer.hasMembers(among: changed.deleted) { return .list }
    var found = ResultsUpdate.nothing
    for row in changed.inserted where dependencies.concerns(comingOf: row.entityName) {
      guard !found.isComplete else { break }
      let model = rows[dependencies.root, row.key]
      found.add(updater.change(of: answer, by: model, movesRow: true), by: model)
    }
    for (row, bits) in changed.updated where dependencies.concerns(bits, of: row.entityName) {
      guard !found.isComplete else { break }
      let moves = dependencies.moves(bits, of: row.entityName)
      if changed.deleted.contains(row) { continue }
      let model = rows[dependencies.root, row.key]
      found.add(updater.change(of: answer, by: model, movesRow: moves), by: model)
    }
    return found
  }

  private func localNews(of answer: any UpdatedResults, in updater: ResultsUpdater) -> ResultsUpdate
  {
    let dependencies = answer.dependencies
    if !local.others.isDisjoint(with: dependencies.roots) { return .list }
    for root in dependencies.roots where root != dependencies.root {
      if local.byRoot[root]?.values.contains(where: dependencies.concerns) == true { return .list }
    }
    let changed = (local.byRoot[dependencies.root] ?? [:]).values.filter(dependencies.concerns)
    if changed.isEmpty { return .nothing }
    guard dependencies.isJudgedByRow, !merging.contains(dependencies.root) else { return .list }
    var found = ResultsUpdate.nothing
    for change in changed {
      guard !found.isComplete else { break }
      let moves = change.isComing || dependencies.moves(change.bits, of: change.entity)
      found.add(updater.change(of: answer, by: change.model, movesRow: moves), by: change.model)
    }
    return found
  }
}

extension QueryDependencies {
  /// Whether the change of an object in the context can matter.
  fileprivate func concerns(_ change: LocalChanges.Change) -> Bool {
    (change.isComing && concerns(comingOf: change.entity))
      || concerns(change.bits, of: change.entity)
  }
}

extension ResultsUpdater {
  /// Returns the effect of a changed object on a result that is evaluated row by row.
  fileprivate func change(
    of answer: any UpdatedResults,
    by model: (any PersistentModel)?,
    movesRow: Bool
  ) -> ResultsChange {
    // A row that was not found was removed meanwhile; the removal will be reported separately.
    guard let model else { return .nothing }
    // An object with unsaved changes does not show the stored values.
    if !answer.includesPendingChanges, model.isNeededByContext { return .list }
    if answer.contains(model) { return movesRow ? .list : .values }
    guard movesRow, !model.isDeleted, model.registration != nil else { return .nothing }
    counts.judgements += 1
    // If the filter cannot be evaluated, the fetch will report the error.
    return (try? answer.accepts(model)) == false ? .nothing : .list
  }

  /// Returns the hierarchies with new objects that may replace others, because of unique values.
  fileprivate func mergingRoots() -> Set<String> {
    let schema = context.core.schema.storeSchema
    var known: [String: Bool] = [:]
    var roots: Set<String> = []
    for model in context.pending.inserted {
      guard let entity = model.registration?.entity, known[entity.name] == nil else { continue }
      let isUnique = !schema.constraints(of: entity).isEmpty
      known[entity.name] = isUnique
      if isUnique { roots.insert(entity.root) }
    }
    return roots
  }
}
