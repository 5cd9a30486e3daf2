#if !canImport(Darwin)
  import Foundation

  /// A manager of actions that undo and redo changes.
  ///
  /// It has the interface of Foundation's class of the same name, which exists only on Apple's
  /// systems. A program registers for each change an action that undoes it. ``undo()`` runs the
  /// actions of the last group, and the actions registered meanwhile become the redo. Groups may be
  /// nested.
  ///
  /// It differs from Foundation's class: there are no events here that end a group of
  /// ``groupsByEvent``; a `ModelContext` ends it (see `ModelContext.undoManager`), and so does
  /// ``undo()``. Misuse has no effect where Foundation raises an exception. A group without actions
  /// is dropped.
  open class UndoManager {
    private enum Phase { case idle, undoing, redoing }

    private var phase = Phase.idle
    private var undoStack: [UndoGroup] = []
    private var redoStack: [UndoGroup] = []
    private var openGroups: [UndoGroup] = []
    private var isEventGroupOpen = false
    private var disabledCount = 0
    private var clearCount = 0

    /// Creates an undo manager with nothing to undo.
    public init() {}

    /// A Boolean value that determines whether the first action outside of a group opens one.
    ///
    /// The end of an event closes that group. If false, an action outside of a group is a group of
    /// its own.
    open var groupsByEvent = true

    /// The largest number of groups to keep, or 0 for any number.
    ///
    /// The oldest are removed first.
    open var levelsOfUndo = 0 { didSet { trim() } }

    /// The number of open groups.
    open var groupingLevel: Int { openGroups.count }

    /// Opens a group, within the open one if there is one.
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

    /// Ends the group of ``groupsByEvent``, if that is the open one.
    func closeEventGroup() {
      if isEventGroupOpen, openGroups.count == 1, phase == .idle { endUndoGrouping() }
    }

    /// A Boolean value that indicates whether actions are registered; true by default.
    open var isUndoRegistrationEnabled: Bool { disabledCount == 0 }

    /// Disables registration until the matching ``enableUndoRegistration()``.
    open func disableUndoRegistration() { disabledCount += 1 }

    /// Ends what the last ``disableUndoRegistration()`` began.
    open func enableUndoRegistration() { disabledCount = max(0, disabledCount - 1) }

    /// Adds an action that undoes a change to the open group.
    ///
    /// - Parameters:
    ///   - target: The argument of the handler. It is not kept: an action whose target has ended is
    ///     skipped.
    ///   - handler: Undoes the change, and registers the action that redoes it.
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

    /// A Boolean value that indicates whether there is anything to undo.
    open var canUndo: Bool {
      !undoStack.isEmpty || openGroups.contains { !$0.entries.isEmpty }
    }

    /// A Boolean value that indicates whether there is anything to redo.
    open var canRedo: Bool {
      post(.NSUndoManagerCheckpoint)
      return !redoStack.isEmpty
    }

    /// The number of groups to undo.
    open var undoCount: Int { undoStack.count }

    /// The number of groups to redo.
    open var redoCount: Int { redoStack.count }

    /// A Boolean value that indicates whether an undo is running.
    open var isUndoing: Bool { phase == .undoing }

    /// A Boolean value that indicates whether a redo is running.
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
    /// The actions that redo it are kept for ``redo()`` as one group.
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

    /// Redoes the changes of the last undone group.
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

    /// Runs the actions of a group from the last to the first, and keeps the actions that revert
    /// them.
    private func perform(_ group: UndoGroup, as given: Phase) {
      let outer = openGroups
      let isOuterOfEvent = isEventGroupOpen
      let clearCountBefore = clearCount
      openGroups = []
      phase = given
      beginUndoGrouping()
      openGroups.last?.name = group.name
      openGroups.last?.isDiscardable = group.isDiscardable
      group.run()
      while !openGroups.isEmpty { endUndoGrouping() }
      phase = .idle
      guard clearCount == clearCountBefore else { return }
      openGroups = outer
      isEventGroupOpen = isOuterOfEvent
    }

    /// Removes all actions and all open groups, and enables registration.
    open func removeAllActions() {
      undoStack = []
      redoStack = []
      openGroups = []
      isEventGroupOpen = false
      disabledCount = 0
      clearCount += 1
    }

    /// Removes the actions of a target.
    open func removeAllActions(withTarget target: Any) {
      let target = ObjectIdentifier(target as AnyObject)
      for group in undoStack + redoStack + openGroups { group.remove(target) }
      undoStack.removeAll { $0.entries.isEmpty }
      redoStack.removeAll { $0.entries.isEmpty }
    }

    /// The group that action names refer to: the outermost open one, else the last to undo.
    private var namedGroup: UndoGroup? { openGroups.first ?? undoStack.last }

    /// Sets the name of the open group, or else of the last one.
    open func setActionName(_ actionName: String) { namedGroup?.name = actionName }

    /// Sets whether the change can be discarded without asking, such as scrolling.
    open func setActionIsDiscardable(_ discardable: Bool) {
      namedGroup?.isDiscardable = discardable
    }

    /// A Boolean value that indicates whether the change that ``undo()`` would undo can be
    /// discarded without asking.
    open var undoActionIsDiscardable: Bool { namedGroup?.isDiscardable ?? false }

    /// A Boolean value that indicates whether the change that ``redo()`` would redo can be
    /// discarded without asking.
    open var redoActionIsDiscardable: Bool { redoStack.last?.isDiscardable ?? false }

    /// The name of the group that ``undo()`` would undo, or an empty string if it has none.
    open var undoActionName: String { namedGroup?.name ?? "" }

    /// The name of the group that ``redo()`` would redo, or an empty string if it has none.
    open var redoActionName: String { redoStack.last?.name ?? "" }

    /// The title of a menu item for ``undo()``.
    open var undoMenuItemTitle: String { undoMenuTitle(forUndoActionName: undoActionName) }

    /// The title of a menu item for ``redo()``.
    open var redoMenuItemTitle: String { redoMenuTitle(forUndoActionName: redoActionName) }

    /// Returns the title of a menu item for the undo of an action.
    open func undoMenuTitle(forUndoActionName actionName: String) -> String {
      actionName.isEmpty ? "Undo" : "Undo \(actionName)"
    }

    /// Returns the title of a menu item for the redo of an action.
    open func redoMenuTitle(forUndoActionName actionName: String) -> String {
      actionName.isEmpty ? "Redo" : "Redo \(actionName)"
    }

    private func post(_ name: Notification.Name) {
      NotificationCenter.default.post(name: name, object: self)
    }
  }

  // The requests of a context to an undo manager; another file has the same for Apple's.
  extension UndoManager {
    /// Whether changes are to be recorded now.
    var acceptsRecords: Bool { isUndoRegistrationEnabled }

    /// Adds a record of changes to the open group, or to one of its own.
    func add(_ record: UndoRecord, by recorder: UndoRecorder) {
      registerUndo(withTarget: recorder) { $0.undo(record) }
    }

    /// Removes the records of a recorder.
    func forgetRecords(by recorder: UndoRecorder) { removeAllActions(withTarget: recorder) }

    /// Removes everything.
    func forgetAll() { removeAllActions() }
  }

  /// Actions that are undone together.
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

  /// An action that undoes one change.
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
