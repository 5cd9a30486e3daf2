import Foundation
import OpenSwiftData
import StoreTestSupport

/// Several contexts that change one store, each as a program uses it.
///
/// After each fetch and each save, it compares the objects without unsaved changes with those of a
/// new context.
final class FarmWorld {
  /// One context.
  final class Session {
    let context: ModelContext
    let container: ModelContainer
    let undoManager = UndoManager()
    /// The objects that the program holds.
    var held: [any PersistentModel] = []
    /// Whether another program saved since the last fetch, which a save does not notice.
    var isBehind = false

    init(_ container: ModelContainer) {
      self.container = container
      context = ModelContext(container, isolation: nil)
      context.undoManager = undoManager
    }
  }

  private let folder: TemporaryFolder?
  private let savesNoticeOthers: Bool
  /// The process that carries out the steps of every other context, if there is one.
  private let partner: FarmPartner?
  private(set) var sessions: [Session] = []
  private var number = 0

  convenience init(_ site: FarmSite) throws {
    let folder = try TemporaryFolder()
    self.init(try site.open(in: folder), in: folder, savesNoticeOthers: site.savesNoticeOthers)
  }

  init(
    _ containers: [ModelContainer],
    in folder: TemporaryFolder? = nil,
    savesNoticeOthers: Bool,
    with partner: FarmPartner? = nil
  ) {
    self.folder = folder
    self.savesNoticeOthers = savesNoticeOthers
    self.partner = partner
    for number in 0..<4 { sessions.append(Session(containers[number % containers.count])) }
  }

  /// The current session.
  var session: Session { sessions[number] }
  /// The current context.
  var context: ModelContext { session.context }

  /// Notes that another process may have saved.
  func noteOthers() {
    guard !savesNoticeOthers else { return }
    for session in sessions { session.isBehind = true }
  }

  /// Carries out a step.
  func perform(_ step: FarmStep) throws {
    if let partner, step.context % 2 == 1 {
      try partner.perform(step)
      return noteOthers()
    }
    number = step.context
    switch step.action {
    case .save: try save()
    case .rollback: rollback()
    case .fetch:
      let kinds = FarmKind.allCases
      try fetch(kinds[step.first % kinds.count])
      try check(alive, after: "fetch")
    case .fetchAll: try fetchAll()
    case .look:
      try look(step)
      session.isBehind = false
      try check(alive, after: "look")
    case .read:
      if let model = any(step.first) { _ = FarmKind.values(of: model) }
    case .refresh:
      guard let model = any(step.first) else { return }
      try refresh(model, mergeChanges: step.second % 2 == 0)
    case .refreshAll: try context.refreshAll(mergeChanges: step.first % 2 == 0)
    case .undo: session.undoManager.undo()
    case .redo: session.undoManager.redo()
    case .reset: context.reset()
    case .evict:
      session.held = []
      context.evictUnused()
    case .revert: try revert(step.first)
    default: try edit(step)
    }
  }

  /// Reverts one of the latest saves, if the store keeps a history with values.
  private func revert(_ number: Int) throws {
    let saves = HistoryDescriptor<DefaultHistoryTransaction>()
    guard let latest = try? context.fetchHistory(saves).suffix(4), !latest.isEmpty else { return }
    do {
      try context.revert(Array(latest)[number % latest.count])
    } catch let error as DataStoreError
      where [.conflict, .unsupportedFeature].contains(error)
    {
      // What another save changed since, or rows of which there is no history.
    }
  }

  private func rollback() { context.rollback() }

  private func refresh<T: PersistentModel>(_ model: T, mergeChanges: Bool) throws {
    try context.refresh(model, mergeChanges: mergeChanges)
    if !model.hasChanges, !model.isDeleted, model.modelContext != nil {
      try check([model], after: "refresh")
    }
  }

  /// An object that the context holds.
  func any(_ number: Int) -> (any PersistentModel)? { pick(among: alive, number) }

  /// An object of a model that the context holds.
  func pick<T: PersistentModel>(_ type: T.Type, _ number: Int) -> T? {
    pick(among: alive.compactMap { $0 as? T }, number)
  }

  private func pick<Element>(among list: [Element], _ number: Int) -> Element? {
    list.isEmpty ? nil : list[number % list.count]
  }

  private var alive: [any PersistentModel] {
    session.held.filter { $0.modelContext === context && !$0.isDeleted }
  }

  /// Adds an object to those that the program holds.
  func hold(_ model: any PersistentModel) {
    if !session.held.contains(where: { $0 === model }) { session.held.append(model) }
  }

  /// Fetches everything in each context, without unsaved changes, and compares it.
  func finish() throws {
    for number in sessions.indices {
      self.number = number
      context.rollback()
      try fetchAll()
    }
    try FarmAudit.check(ModelContext(session.container, isolation: nil))
    try partner?.finish()
  }
}

// Fetches and saves.
extension FarmWorld {
  private func fetch(_ kind: FarmKind) throws {
    let models = try kind.all(in: context)
    session.isBehind = false
    for model in models { hold(model) }
  }

  private func fetchAll() throws {
    for kind in FarmKind.allCases { try fetch(kind) }
    try check(alive, after: "fetch of all")
  }

  private func save() throws {
    let hadChanges = context.hasChanges
    let audit = try FarmAudit(of: context, beside: ModelContext(session.container, isolation: nil))
    do {
      try context.save()
    } catch let error as DataStoreError
      where [.conflict, .uniqueConflict, .deletionDenied].contains(error)
    {
      // What another program did first; a program drops its changes then.
      return rollback()
    } catch let error as SwiftDataError where error == .modelValidationFailure {
      return rollback()
    }
    if context.hasChanges { throw Difference("there are changes after a save") }
    let fresh = ModelContext(session.container, isolation: nil)
    try audit.check(after: fresh)
    try FarmAudit.check(fresh)
    if hadChanges || !session.isBehind { try check(alive, after: "save") }
    guard !savesNoticeOthers, hadChanges else { return }
    for other in sessions where other.container !== session.container { other.isBehind = true }
  }

  /// Compares objects with those of a new context.
  private func check(_ models: [any PersistentModel], after what: String) throws {
    let comparison = FarmComparison(context, ModelContext(session.container, isolation: nil))
    for model in models where !model.hasChanges && model.modelContext === context {
      guard let difference = try comparison.difference(of: model) else { continue }
      throw Difference("after the \(what) in \(number), \(difference)")
    }
  }
}
