// Elsewhere Foundation has the undo manager.
#if !canImport(Darwin)
  import Foundation
  import OpenSwiftData
  import Testing

  @Suite("an undo manager")
  struct UndoManagerTests {
    /// A string that registers its own undo actions.
    private final class Text {
      private(set) var value = ""
      let manager: UndoManager

      init(_ manager: UndoManager) {
        self.manager = manager
      }

      func set(_ new: String) {
        let old = value
        value = new
        manager.registerUndo(withTarget: self) { $0.set(old) }
      }
    }

    private let manager = UndoManager()
    private let text: Text

    init() {
      text = Text(manager)
    }

    private func setInGroup(_ values: String...) {
      manager.beginUndoGrouping()
      for value in values { text.set(value) }
      manager.endUndoGrouping()
    }

    @Test func `undoes and redoes groups in their order`() {
      setInGroup("a", "b")
      setInGroup("c")
      manager.undo()
      #expect(text.value == "b")
      #expect(manager.canUndo && manager.canRedo)
      manager.undo()
      #expect(text.value == "")
      #expect(!manager.canUndo)
      manager.redo()
      manager.redo()
      #expect(text.value == "c")
      #expect(!manager.canRedo)
      manager.undo()
      #expect(text.value == "b")
    }

    @Test func `opens a group for an event, which an undo closes`() {
      text.set("a")
      text.set("b")
      #expect(manager.groupingLevel == 1)
      #expect(manager.canUndo)
      manager.undo()
      #expect(text.value == "")
      #expect(manager.groupingLevel == 0)
    }

    @Test func `treats an ungrouped action as a group if events do not group`() {
      manager.groupsByEvent = false
      text.set("a")
      text.set("b")
      #expect(manager.groupingLevel == 0 && manager.undoCount == 2)
      manager.undo()
      #expect(text.value == "a")
    }

    @Test func `clears the actions to redo when a new action is registered`() {
      setInGroup("a")
      manager.undo()
      #expect(manager.redoCount == 1)
      setInGroup("b")
      #expect(!manager.canRedo)
      manager.redo()
      #expect(text.value == "b")
    }

    @Test func `undoes nested groups together, or only the last`() {
      manager.beginUndoGrouping()
      text.set("a")
      setInGroup("b")
      setInGroup("c")
      manager.undoNestedGroup()
      #expect(text.value == "b")
      manager.redo()
      #expect(text.value == "b")
      manager.endUndoGrouping()
      manager.undo()
      #expect(text.value == "")
      manager.redo()
      #expect(text.value == "b")
      manager.redo()
      #expect(text.value == "c")
    }

    @Test func `ignores misuse`() {
      manager.endUndoGrouping()
      manager.undo()
      manager.redo()
      manager.undoNestedGroup()
      manager.enableUndoRegistration()
      manager.beginUndoGrouping()
      manager.beginUndoGrouping()
      text.set("a")
      manager.undo()
      #expect(text.value == "a" && manager.groupingLevel == 2)
      manager.endUndoGrouping()
      manager.undo()
      #expect(text.value == "" && manager.groupingLevel == 0)
    }

    @Test func `drops an empty group`() {
      manager.beginUndoGrouping()
      manager.endUndoGrouping()
      #expect(!manager.canUndo)
    }

    @Test func `keeps at most the configured number of groups`() {
      manager.levelsOfUndo = 2
      for value in ["a", "b", "c"] { setInGroup(value) }
      for _ in 0..<3 { manager.undo() }
      #expect(text.value == "a")
      manager.levelsOfUndo = 1
      manager.redo()
      manager.redo()
      #expect(text.value == "b" && !manager.canRedo)
      #expect(manager.undoCount == 1)
    }

    @Test func `registers nothing while registration is disabled`() {
      manager.disableUndoRegistration()
      manager.disableUndoRegistration()
      manager.enableUndoRegistration()
      text.set("a")
      #expect(!manager.isUndoRegistrationEnabled && !manager.canUndo)
      manager.enableUndoRegistration()
      text.set("b")
      manager.undo()
      #expect(text.value == "a")
    }

    @Test func `removes all actions, or those of a target`() {
      let other = Text(manager)
      setInGroup("a")
      manager.beginUndoGrouping()
      other.set("x")
      text.set("b")
      manager.endUndoGrouping()
      manager.removeAllActions(withTarget: text)
      #expect(manager.undoCount == 1)
      manager.undo()
      #expect(text.value == "b" && other.value == "")
      manager.disableUndoRegistration()
      manager.beginUndoGrouping()
      manager.removeAllActions()
      #expect(!manager.canRedo && !manager.canUndo && manager.groupingLevel == 0)
      #expect(manager.isUndoRegistrationEnabled)
    }

    @Test func `can be cleared by an action that it undoes`() {
      manager.beginUndoGrouping()
      manager.registerUndo(withTarget: text) { $0.manager.removeAllActions() }
      text.set("a")
      manager.endUndoGrouping()
      manager.undo()
      #expect(!manager.canUndo && !manager.canRedo && !manager.isUndoing)
      setInGroup("b")
      manager.undo()
      #expect(text.value == "")
    }

    @Test func `does not retain targets`() {
      weak var gone: Text?
      do {
        let short = Text(manager)
        short.set("a")
        gone = short
      }
      #expect(gone == nil)
      manager.undo()
      #expect(!manager.canRedo)
    }

    @Test func `reports whether it is undoing or redoing`() {
      var phases: [[Bool]] = []
      func register() {
        manager.registerUndo(withTarget: text) { text in
          phases.append([text.manager.isUndoing, text.manager.isRedoing])
          register()
        }
      }
      register()
      manager.undo()
      manager.redo()
      #expect(phases == [[true, false], [false, true]])
      #expect(!manager.isUndoing && !manager.isRedoing)
    }

    @Test func `has names for the actions that it undoes and redoes`() {
      #expect(manager.undoActionName == "" && manager.undoMenuItemTitle == "Undo")
      manager.beginUndoGrouping()
      text.set("a")
      manager.setActionName("Typing")
      manager.setActionIsDiscardable(true)
      manager.endUndoGrouping()
      #expect(manager.undoMenuItemTitle == "Undo Typing" && manager.redoMenuItemTitle == "Redo")
      #expect(manager.undoActionIsDiscardable)
      manager.undo()
      #expect(manager.undoActionName == "" && manager.redoActionName == "Typing")
      #expect(manager.redoMenuItemTitle == "Redo Typing" && manager.redoActionIsDiscardable)
      manager.redo()
      #expect(manager.undoActionName == "Typing")
    }

    @Test func `posts notifications of groups, undo and redo`() {
      let posted = Posted(by: manager)
      setInGroup("a")
      manager.undo()
      manager.redo()
      #expect(
        posted.names == [
          .NSUndoManagerDidOpenUndoGroup, .NSUndoManagerWillCloseUndoGroup,
          .NSUndoManagerDidCloseUndoGroup, .NSUndoManagerWillUndoChange,
          .NSUndoManagerDidOpenUndoGroup, .NSUndoManagerWillCloseUndoGroup,
          .NSUndoManagerDidCloseUndoGroup, .NSUndoManagerDidUndoChange,
          .NSUndoManagerWillRedoChange, .NSUndoManagerDidOpenUndoGroup,
          .NSUndoManagerWillCloseUndoGroup, .NSUndoManagerDidCloseUndoGroup,
          .NSUndoManagerDidRedoChange,
        ]
      )
    }

    /// The notifications of an undo manager, without the many checkpoints.
    private final class Posted: @unchecked Sendable {
      // Unchecked: used by only one thread.
      private(set) var names: [Notification.Name] = []
      private var observer: (any NSObjectProtocol)?

      init(by manager: UndoManager) {
        observer = NotificationCenter.default.addObserver(
          forName: nil,
          object: manager,
          queue: nil
        ) { [weak self] note in
          if note.name != .NSUndoManagerCheckpoint { self?.names.append(note.name) }
        }
      }

      deinit { observer.map(NotificationCenter.default.removeObserver) }
    }
  }
#endif
