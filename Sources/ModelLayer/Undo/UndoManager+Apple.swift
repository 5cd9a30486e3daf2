#if canImport(Darwin)
  import Foundation

  // The requests of a context to an undo manager, with equal ones for ours beside it. Apple's
  // belongs to the main actor: elsewhere nothing is recorded.
  extension UndoManager {
    /// Whether changes are to be recorded now.
    nonisolated var acceptsRecords: Bool {
      onMainActor { $0.isUndoRegistrationEnabled } ?? false
    }

    /// Adds a record of changes to the open group, or to one of its own.
    nonisolated func add(_ record: UndoRecord, by recorder: UndoRecorder) {
      let parts = MainActorPassage((record: record, recorder: recorder))
      onMainActor { manager in
        // Without a group Foundation would raise an exception.
        let isAlone = !manager.groupsByEvent && manager.groupingLevel == 0
        if isAlone { manager.beginUndoGrouping() }
        manager.registerUndo(withTarget: parts.value.recorder) { recorder in
          recorder.undo(parts.value.record)
        }
        if isAlone { manager.endUndoGrouping() }
      }
    }

    /// Removes the records of a recorder.
    nonisolated func forgetRecords(by recorder: UndoRecorder) {
      let target = MainActorPassage(recorder)
      onMainActor { $0.removeAllActions(withTarget: target.value) }
    }

    /// Removes everything.
    nonisolated func forgetAll() {
      onMainActor { $0.removeAllActions() }
    }

    /// Does nothing: the run loop ends the groups of events.
    nonisolated func closeEventGroup() {}

    @discardableResult
    private nonisolated func onMainActor<Result: Sendable>(
      _ body: @MainActor (UndoManager) -> Result
    ) -> Result? {
      guard Thread.isMainThread else { return nil }
      let manager = MainActorPassage(self)
      return MainActor.assumeIsolated { body(manager.value) }
    }
  }

  /// A value of the main actor that code on the main thread passes to the main actor.
  // Unchecked: created and read only on the main thread.
  private struct MainActorPassage<Value>: @unchecked Sendable {
    let value: Value

    init(_ value: Value) {
      self.value = value
    }
  }
#endif
