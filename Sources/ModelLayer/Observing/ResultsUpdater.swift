import StoreProtocol

/// Keeps the results of one context's observers up to date.
///
/// It notes the context's own changes as they happen, and receives the saves of others from a
/// `ChangeInbox`. Both only collect. Their effects on the results are evaluated in one turn of the
/// context's isolation, however many changes there were.
final class ResultsUpdater: ContextObserver {
  /// Counts of the work so far.
  struct Counts: Equatable {
    /// How often a result was found to have possibly changed.
    var wakes = 0
    /// The number of changed rows that were compared with a result's filter.
    var evaluations = 0
    /// The number of changed rows that were read.
    var rowsRead = 0
  }

  private struct Entry {
    weak var results: (any UpdatedResults)?
    let dependencies: QueryDependencies
    let signal: (@Sendable () -> Void)?
  }

  /// The largest number of changed rows that are evaluated one by one; with more, results are
  /// fetched again.
  static let mostEvaluated = 200

  // Unowned: the context owns the updater, which runs only for the context.
  unowned let context: ContextState
  let box: ChangeInbox
  var counts = Counts()
  private var entries: [ObjectIdentifier: Entry] = [:]
  /// The results whose users are called.
  private var called: Set<ObjectIdentifier> = []
  /// The results by the values that their filters require.
  private(set) var required = RequiredValues()
  /// The changes in the context since the last turn.
  private(set) var local = LocalChanges()
  /// Saves of others that were hidden by unsaved changes of the context.
  private var postponed = SavedChanges()
  /// The roots of the hierarchies on which any result depends.
  private var roots: Set<String> = []
  private var turnScheduler: (@Sendable () -> Void)?
  private var isTurnScheduled = false

  init(_ context: ContextState) {
    self.context = context
    box = ChangeInbox(context.core.saves)
  }

  /// The results that are still in use.
  var allResults: [any UpdatedResults] { entries.values.compactMap(\.results) }

  /// Returns the results of some identities that are still in use.
  func results(_ keys: Set<ObjectIdentifier>) -> [any UpdatedResults] {
    keys.compactMap { entries[$0]?.results }
  }

  /// Keeps a result up to date while it is in use, or continues with its new dependencies.
  ///
  /// - Parameters:
  ///   - results: The result; it is not kept alive.
  ///   - isolation: The isolation that the updater may re-enter by itself; of several the first counts.
  ///   - signal: Called on any thread when the result may have changed, for results whose users
  ///     read them on demand.
  func keep(
    _ results: any UpdatedResults,
    isolation: ContextIsolation = .unknown,
    signal: (@Sendable () -> Void)? = nil
  ) {
    let key = ObjectIdentifier(results)
    forget(key)
    entries[key] = Entry(results: results, dependencies: results.dependencies, signal: signal)
    required.insert(key, results.dependencies)
    if signal != nil { called.insert(key) }
    roots.formUnion(results.dependencies.roots)
    if turnScheduler == nil {
      turnScheduler = isolation.turnScheduler(of: context) { $0.updater?.turn() }
      box.setTurnScheduler(turnScheduler)
    }
    box.listen(
      for: key,
      to: results.dependencies,
      wantsOwnSaves: !results.includesPendingChanges,
      signal: signal
    )
  }

  /// Returns and clears the changes in the context since the last turn, and removes results that
  /// are not in use.
  func beginTurn() -> LocalChanges {
    isTurnScheduled = false
    if box.takeEnds() {
      for (key, entry) in entries where entry.results == nil { forget(key) }
      roots = allResults.reduce(into: []) { $0.formUnion($1.dependencies.roots) }
    }
    defer { local = LocalChanges() }
    return local
  }

  private func forget(_ key: ObjectIdentifier) {
    guard let entry = entries.removeValue(forKey: key) else { return }
    required.remove(key, entry.dependencies)
    called.remove(key)
  }

  /// Schedules saves of others to be evaluated again when the context's unsaved changes are saved,
  /// if any.
  func postpone(_ changes: SavedChanges) {
    if context.hasChanges { postponed.add(changes) }
  }

  /// Applies saves of others that came during unsaved changes to all objects and results.
  ///
  /// - Parameter changes: The changes that the context saved itself.
  func contextSaved(_ changes: SavedChanges?) {
    if !postponed.isEmpty { context.feed.unloadToMany() }
    if context.feed.hasOutdatedProperties, let changes { noteJoined(changes) }
    guard !postponed.isEmpty else { return }
    box.put(postponed)
    postponed = SavedChanges()
  }

  /// Notes rows that now have other values of those that results require.
  ///
  /// While they had no such value, saves of others that changed them were not reported to the
  /// context.
  private func noteJoined(_ changes: SavedChanges) {
    let schema = context.core.schema.storeSchema
    for (row, bits) in changes.byRoot.values.flatMap(\.updated) {
      guard let entity = schema.entity(named: row.entityName), required.requires(bits, of: entity)
      else { continue }
      postponed.noteUpdate(of: row, SavedChanges.allProperties, schema)
    }
  }

  /// Whether no result is in use.
  var isIdle: Bool { entries.isEmpty }
}

// Changes in the context itself.
extension ResultsUpdater {
  /// Notes that a property is about to change.
  func noteChange(of model: any PersistentModel, at index: Int) {
    guard let entity = model.registration?.entity else { return }
    note(model, entity, bits: _ModelState.bit(index))
  }

  /// Notes that an object has other values than before.
  func noteChange(of model: any PersistentModel) {
    guard let entity = model.registration?.entity else { return }
    note(model, entity, bits: SavedChanges.allProperties)
  }

  /// Notes that an object is added or removed.
  func noteMembershipChange(of model: any PersistentModel) {
    guard let entity = context.registration(for: type(of: model))?.entity else { return }
    note(model, entity, changesMembership: true)
  }

  /// Notes that something changed in some hierarchies.
  func noteOthers(of changed: Set<String>) {
    guard !roots.isDisjoint(with: changed) else { return }
    for root in changed { local.noteOthers(of: root) }
    scheduleTurn { !$0.roots.isDisjoint(with: changed) }
  }

  /// Notes that anything may have changed.
  func noteEverything() {
    local.isEverything = true
    scheduleTurn(includesAll: true) { _ in true }
  }

  private func note(
    _ model: any PersistentModel,
    _ entity: StoreEntity,
    bits: UInt64 = 0,
    changesMembership: Bool = false
  ) {
    guard roots.contains(entity.root) else { return }
    local.note(model, of: entity, bits: bits, changesMembership: changesMembership)
    scheduleTurn { dependencies in
      changesMembership
        ? dependencies.concerns(membershipOf: entity.name)
        : dependencies.concerns(bits, of: entity.name)
    }
  }

  /// Schedules a turn, and signals users that wait for a result that is concerned.
  private func scheduleTurn(includesAll: Bool = false, _ concerns: (QueryDependencies) -> Bool) {
    if !isTurnScheduled {
      isTurnScheduled = true
      turnScheduler?()
    }
    for key in called {
      guard let entry = entries[key], let signal = entry.signal, let results = entry.results,
        includesAll || results.includesPendingChanges, concerns(results.dependencies)
      else { continue }
      signal()
    }
  }
}
