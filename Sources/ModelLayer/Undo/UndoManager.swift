#if !canImport(Darwin)
  import Foundation

  /// Keeps what takes changes back, and what makes them again.
  ///
  /// It has the interface of Foundation's class of the same name, which exists on Apple's systems
  /// alone. A program registers for each change what undoes it; ``undo()`` runs what was registered
  /// in the last group, and what is registered meanwhile becomes the redo. Groups may be nested.
  ///
  /// What differs: there are no events here that end a group of ``groupsByEvent``; a `ModelContext`
  /// ends it (see `ModelContext.undoManager`), and so does ``undo()``. Misuse does nothing where
  /// Foundation raises an exception. A group in which nothing was registered is dropped.
  open class UndoManager {
    private enum Phase { case idle, undoing, redoing }

    private var phase = Phase.idle
    private var undoStack: [UndoGroup] = []
    private var redoStack: [UndoGroup] = []
    private var openGroups: [UndoGroup] = []
    private var isEventGroupOpen = false
    private var disabledCount = 0
    private var clearings = 0

    /// Creates an undo manager with nothing to undo.
    public init() {}

    /// Whether the first action outside of a group opens one, which the end of an event closes.
    ///
    /// Without it, an action outside of a group is a group of its own.
    open var groupsByEvent = true

    /// How many groups are kept at most, or 0 for any number.
    ///
    /// The oldest go first.
    open var levelsOfUndo = 0 { didSet { trim() } }

    /// How many groups are open.
    open var groupingLevel: Int { openGroups.count }

    /// Opens a group, within the one that is open if there is one.
    open func beginUndoGrouping() {
      if openGroups.isEmpty { isEventGroupOpen = false } else { post(.NSUndoManagerCheckpoint) }
      openGroups.append(UndoGroup())
      post(.NSUndoManagerDidOpenUndoGroup)
    }

    /// Closes the group that was opened last.
    open func endUndoGrouping() {
      guard !openGroups.isEmpty else { return }
      post(.NSUndoManagerCheckpoint)
      post(.NSUndoManagerWillCloseUndoGroup)
      // An observer may have cleared everything.
      guard let group = openGroups.popLast() else { return }
      if openGroups.isEmpty { isEventGroupOpen = false }
      keep(group)
      post(.NSUndoManagerDidCloseUndoGroup)
    }

    private func keep(_ group: UndoGroup) {
      guard !group.entries.isEmpty else { return }
      if let enclosing = openGroups.last {
        enclosing.entries.append(.group(group))
      } else if phase == .undoing {
        redoStack.append(group)
      } else {
        undoStack.append(group)
      }
      trim()
    }

    private func trim() {
      guard levelsOfUndo > 0 else { return }
      undoStack.removeFirst(max(0, undoStack.count - levelsOfUndo))
      redoStack.removeFirst(max(0, redoStack.count - levelsOfUndo))
    }

    /// Ends the group of ``groupsByEvent``, if that is the one that is open.
    func closeEventGroup() {
      if isEventGroupOpen, openGroups.count == 1, phase == .idle { endUndoGrouping() }
    }

    /// Has actions registered; on from the start.
    open var isUndoRegistrationEnabled: Bool { disabledCount == 0 }

    /// Has nothing registered until the matching ``enableUndoRegistration()``.
    open func disableUndoRegistration() { disabledCount += 1 }

    /// Ends what the last ``disableUndoRegistration()`` began.
    open func enableUndoRegistration() { disabledCount = max(0, disabledCount - 1) }

    /// Adds what undoes a change to the open group.
    ///
    /// - Parameters:
    ///   - target: What the handler is given. It is not kept: an action whose target is gone is
    ///     passed over.
    ///   - handler: Undoes the change, and registers what makes it again.
    open func registerUndo<TargetType: AnyObject>(
      withTarget target: TargetType,
      handler: @escaping (TargetType) -> Void
    ) {
      guard isUndoRegistrationEnabled else { return }
      if phase == .idle { redoStack = [] }
      let isAlone = openGroups.isEmpty
      if isAlone {
        beginUndoGrouping()
        isEventGroupOpen = groupsByEvent
      }
      openGroups.last?.entries.append(.action(UndoAction(target: target, handler)))
      if isAlone, !groupsByEvent { endUndoGrouping() }
    }

    /// Whether there is anything to undo.
    open var canUndo: Bool {
      !undoStack.isEmpty || openGroups.contains { !$0.entries.isEmpty }
    }

    /// Whether there is anything to redo.
    open var canRedo: Bool {
      post(.NSUndoManagerCheckpoint)
      return !redoStack.isEmpty
    }

    /// How many groups there are to undo.
    open var undoCount: Int { undoStack.count }

    /// How many groups there are to redo.
    open var redoCount: Int { redoStack.count }

    /// Whether an undo is under way.
    open var isUndoing: Bool { phase == .undoing }

    /// Whether a redo is under way.
    open var isRedoing: Bool { phase == .redoing }

    /// Closes the open group, if there is one, and undoes the last.
    ///
    /// It does nothing while a nested group is open, or within an undo or redo.
    open func undo() {
      guard phase == .idle else { return }
      if groupingLevel == 1 { endUndoGrouping() }
      guard groupingLevel == 0 else { return }
      undoNestedGroup()
    }

    /// Undoes the last group that was closed, within the open one if there is one.
    ///
    /// What undoes it again is kept for ``redo()`` as one group.
    open func undoNestedGroup() {
      guard phase == .idle else { return }
      post(.NSUndoManagerCheckpoint)
      post(.NSUndoManagerWillUndoChange)
      guard let group = lastClosedGroup() else { return }
      perform(group, as: .undoing)
      post(.NSUndoManagerDidUndoChange)
    }

    private func lastClosedGroup() -> UndoGroup? {
      guard let enclosing = openGroups.last else { return undoStack.popLast() }
      guard case .group(let group) = enclosing.entries.last else { return nil }
      enclosing.entries.removeLast()
      return group
    }

    /// Makes the changes of the last undone group again.
    ///
    /// It does nothing while a group is open, or within an undo or redo.
    open func redo() {
      guard phase == .idle, openGroups.isEmpty else { return }
      post(.NSUndoManagerCheckpoint)
      post(.NSUndoManagerWillRedoChange)
      guard let group = redoStack.popLast() else { return }
      perform(group, as: .redoing)
      post(.NSUndoManagerDidRedoChange)
    }

    /// Runs what a group has from its end to its beginning, and keeps what undoes that.
    private func perform(_ group: UndoGroup, as given: Phase) {
      let outer = openGroups
      let isOuterOfEvent = isEventGroupOpen
      let clearingsBefore = clearings
      openGroups = []
      phase = given
      beginUndoGrouping()
      openGroups.last?.name = group.name
      openGroups.last?.isDiscardable = group.isDiscardable
      group.run()
      while !openGroups.isEmpty { endUndoGrouping() }
      phase = .idle
      guard clearings == clearingsBefore else { return }
      openGroups = outer
      isEventGroupOpen = isOuterOfEvent
    }

    /// Forgets all actions and all open groups, and has actions registered again.
    open func removeAllActions() {
      undoStack = []
      redoStack = []
      openGroups = []
      isEventGroupOpen = false
      disabledCount = 0
      clearings += 1
    }

    /// Forgets the actions of a target.
    open func removeAllActions(withTarget target: Any) {
      let target = ObjectIdentifier(target as AnyObject)
      for group in undoStack + redoStack + openGroups { group.remove(target) }
      undoStack.removeAll { $0.entries.isEmpty }
      redoStack.removeAll { $0.entries.isEmpty }
    }

    /// The group that names are about: the outermost open one, else the last to undo.
    private var namedGroup: UndoGroup? { openGroups.first ?? undoStack.last }

    /// Names what the open group, or else the last one, does.
    open func setActionName(_ actionName: String) { namedGroup?.name = actionName }

    /// Says whether the change can be given up without asking, as a scrolling can.
    open func setActionIsDiscardable(_ discardable: Bool) {
      namedGroup?.isDiscardable = discardable
    }

    /// Whether what ``undo()`` would undo can be given up without asking.
    open var undoActionIsDiscardable: Bool { namedGroup?.isDiscardable ?? false }

    /// Whether what ``redo()`` would redo can be given up without asking.
    open var redoActionIsDiscardable: Bool { redoStack.last?.isDiscardable ?? false }

    /// The name of what ``undo()`` would undo, empty if it has none.
    open var undoActionName: String { namedGroup?.name ?? "" }

    /// The name of what ``redo()`` would redo, empty if it has none.
    open var redoActionName: String { redoStack.last?.name ?? "" }

    /// What a menu says for ``undo()``.
    open var undoMenuItemTitle: String { undoMenuTitle(forUndoActionName: undoActionName) }

    /// What a menu says for ``redo()``.
    open var redoMenuItemTitle: String { redoMenuTitle(forUndoActionName: redoActionName) }

    /// What a menu says for the undo of an action.
    open func undoMenuTitle(forUndoActionName actionName: String) -> String {
      actionName.isEmpty ? "Undo" : "Undo \(actionName)"
    }

    /// What a menu says for the redo of an action.
    open func redoMenuTitle(forUndoActionName actionName: String) -> String {
      actionName.isEmpty ? "Redo" : "Redo \(actionName)"
    }

    private func post(_ name: Notification.Name) {
      NotificationCenter.default.post(name: name, object: self)
    }
  }

  // What a context asks of an undo manager, with a file of the same for Apple's.
  extension UndoManager {
    /// Whether changes are to be recorded now.
    var takesRecords: Bool { isUndoRegistrationEnabled }

    /// Adds a record of changes to the open group, or to one of its own.
    func add(_ record: UndoRecord, by recorder: UndoRecorder) {
      registerUndo(withTarget: recorder) { $0.undo(record) }
    }

    /// Forgets the records of a recorder.
    func forgetRecords(by recorder: UndoRecorder) { removeAllActions(withTarget: recorder) }

    /// Forgets everything.
    func forgetAll() { removeAllActions() }
  }

  /// What is undone together.
  private final class UndoGroup {
    enum Entry {
      case action(UndoAction)
      case group(UndoGroup)
    }

    var entries: [Entry] = []
    var name = ""
    var isDiscardable = false

    func run() {
      for entry in entries.reversed() {
        switch entry {
        case .action(let action): action.run()
        case .group(let group): group.run()
        }
      }
    }

    func remove(_ target: ObjectIdentifier) {
      entries.removeAll { entry in
        switch entry {
        case .action(let action): return action.identity == target
        case .group(let group):
          group.remove(target)
          return group.entries.isEmpty
        }
      }
    }
  }

  /// What undoes one change.
  private struct UndoAction {
    let identity: ObjectIdentifier
    let run: () -> Void

    init<Target: AnyObject>(target: Target, _ handler: @escaping (Target) -> Void) {
      identity = ObjectIdentifier(target)
      run = { [weak target] in
        if let target { handler(target) }
      }
    }
  }

  extension Notification.Name {
    /// Posted when a group opens within another or closes, and before an undo or redo.
    public static let NSUndoManagerCheckpoint = Self("NSUndoManagerCheckpointNotification")
    /// Posted when a group was opened.
    public static let NSUndoManagerDidOpenUndoGroup = Self(
      "NSUndoManagerDidOpenUndoGroupNotification"
    )
    /// Posted before a group closes.
    public static let NSUndoManagerWillCloseUndoGroup = Self(
      "NSUndoManagerWillCloseUndoGroupNotification"
    )
    /// Posted when a group was closed.
    public static let NSUndoManagerDidCloseUndoGroup = Self(
      "NSUndoManagerDidCloseUndoGroupNotification"
    )
    /// Posted before an undo.
    public static let NSUndoManagerWillUndoChange = Self(
      "NSUndoManagerWillUndoChangeNotification"
    )
    /// Posted after an undo.
    public static let NSUndoManagerDidUndoChange = Self("NSUndoManagerDidUndoChangeNotification")
    /// Posted before a redo.
    public static let NSUndoManagerWillRedoChange = Self(
      "NSUndoManagerWillRedoChangeNotification"
    )
    /// Posted after a redo.
    public static let NSUndoManagerDidRedoChange = Self("NSUndoManagerDidRedoChangeNotification")
  }
#endif
