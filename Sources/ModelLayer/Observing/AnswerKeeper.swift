import StoreProtocol

/// Keeps the answers up to date that observers of one context have.
///
/// It learns of the context's own changes as they happen, and of the saves of others from a
/// `NewsBox`. Both only collect; what they mean for the answers is worked out in one turn of the
/// context's isolation, however many changes there were.
final class AnswerKeeper {
  /// What was done so far.
  struct Counts: Equatable {
    /// How often an answer was found to have possibly changed.
    var wakes = 0
    /// How many changed rows were compared with an answer's filter.
    var judgements = 0
    /// How many changed rows were read.
    var rowsRead = 0
  }

  private struct Entry {
    weak var answer: (any KeptAnswer)?
    let interest: Interest
    let signal: (@Sendable () -> Void)?
  }

  /// How many changed rows are looked at one by one; with more, answers are fetched anew.
  static let mostJudged = 200

  // Unowned: the context owns the keeper, which does nothing but for the context.
  unowned let context: ContextState
  let box: NewsBox
  var counts = Counts()
  private var entries: [ObjectIdentifier: Entry] = [:]
  /// The answers whose users are called.
  private var called: Set<ObjectIdentifier> = []
  /// The answers by what their filters require.
  private(set) var required = RequiredValues()
  /// What changed in the context since the last turn.
  private(set) var local = LocalChanges()
  /// What others saved while there were unsaved changes, above which it was not to be seen.
  private var postponed = SavedChanges()
  /// The last save, as long as the context has made all saves itself since it is observed.
  private var lastSave: UInt64?
  /// The roots of the hierarchies on which any answer depends.
  private var roots: Set<String> = []
  private var summons: (@Sendable () -> Void)?
  private var isSummoned = false

  init(_ context: ContextState) {
    self.context = context
    box = NewsBox(context.core.changes.feed)
  }

  /// The answers that are still wanted.
  var answers: [any KeptAnswer] { entries.values.compactMap(\.answer) }

  /// The answers of some identities that are still wanted.
  func answers(_ keys: Set<ObjectIdentifier>) -> [any KeptAnswer] {
    keys.compactMap { entries[$0]?.answer }
  }

  /// Keeps an answer up to date as long as somebody has it, or does so by its new interest.
  ///
  /// - Parameters:
  ///   - answer: The answer; it is not kept alive.
  ///   - home: Where the keeper may come back to by itself; of several the first counts.
  ///   - signal: What to call on any thread when the answer may have changed, for answers whose
  ///     users come and look.
  func keep(
    _ answer: any KeptAnswer,
    home: ContextHome = .unknown,
    signal: (@Sendable () -> Void)? = nil
  ) {
    let key = ObjectIdentifier(answer)
    forget(key)
    entries[key] = Entry(answer: answer, interest: answer.interest, signal: signal)
    required.insert(key, answer.interest)
    if signal != nil { called.insert(key) }
    roots.formUnion(answer.interest.roots)
    if summons == nil {
      summons = home.summons(of: context) { $0.keeper?.turn() }
      box.setSummons(summons)
    }
    box.listen(
      for: key,
      to: answer.interest,
      wantsOwnSaves: !answer.includesPendingChanges,
      signal: signal
    )
    lastSave = lastSave ?? feed.save
  }

  private var feed: ChangeFeed { context.core.changes.feed }

  /// Takes what changed in the context since the last turn, and forgets answers that nobody wants.
  func beginTurn() -> LocalChanges {
    isSummoned = false
    if box.takeEnds() {
      for (key, entry) in entries where entry.answer == nil { forget(key) }
      roots = answers.reduce(into: []) { $0.formUnion($1.interest.roots) }
    }
    defer { local = LocalChanges() }
    return local
  }

  private func forget(_ key: ObjectIdentifier) {
    guard let entry = entries.removeValue(forKey: key) else { return }
    required.remove(key, entry.interest)
    called.remove(key)
  }

  /// Has what others saved looked at again when the context's unsaved changes are saved, if any.
  func postpone(_ news: SavedChanges) {
    if context.hasChanges { postponed.add(news) }
  }

  /// Brings what others saved while there were unsaved changes to all objects and answers.
  ///
  /// - Parameter changes: What the context saved itself.
  func contextSaved(_ changes: SavedChanges?) {
    lastSave? += 1
    if !postponed.isEmpty { context.foldToMany() }
    if lastSave != feed.save, let changes { noteJoined(changes) }
    guard !postponed.isEmpty else { return }
    box.put(postponed)
    postponed = SavedChanges()
  }

  /// Notes rows that have other values now of those that answers require.
  ///
  /// While they had no such value, saves of others that changed them were not told to the context.
  private func noteJoined(_ changes: SavedChanges) {
    let schema = context.core.schema.storeSchema
    for (row, bits) in changes.byRoot.values.flatMap(\.updated) {
      guard let entity = schema.entity(named: row.entityName), required.requires(bits, of: entity)
      else { continue }
      postponed.noteUpdate(of: row, SavedChanges.allProperties, schema)
    }
  }

  /// Whether nobody wants any answer.
  var isIdle: Bool { entries.isEmpty }
}

// What happens in the context itself.
extension AnswerKeeper {
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

  /// Notes that an object comes or goes.
  func noteComing(of model: any PersistentModel) {
    guard let entity = context.registration(for: type(of: model))?.entity else { return }
    note(model, entity, isComing: true)
  }

  /// Notes that something changed in some hierarchies.
  func noteOthers(of changed: Set<String>) {
    guard !roots.isDisjoint(with: changed) else { return }
    for root in changed { local.noteOthers(of: root) }
    summon { !$0.roots.isDisjoint(with: changed) }
  }

  /// Notes that anything may have changed.
  func noteEverything() {
    local.isEverything = true
    summon(includesAll: true) { _ in true }
  }

  private func note(
    _ model: any PersistentModel,
    _ entity: StoreEntity,
    bits: UInt64 = 0,
    isComing: Bool = false
  ) {
    guard roots.contains(entity.root) else { return }
    local.note(model, of: entity, bits: bits, isComing: isComing)
    summon { interest in
      isComing ? interest.concerns(comingOf: entity.name) : interest.concerns(bits, of: entity.name)
    }
  }

  /// Has a turn come, and wakes those who wait for an answer that is concerned.
  private func summon(includesAll: Bool = false, _ concerns: (Interest) -> Bool) {
    if !isSummoned {
      isSummoned = true
      summons?()
    }
    for key in called {
      guard let entry = entries[key], let signal = entry.signal, let answer = entry.answer,
        includesAll || answer.includesPendingChanges, concerns(answer.interest)
      else { continue }
      signal()
    }
  }
}
