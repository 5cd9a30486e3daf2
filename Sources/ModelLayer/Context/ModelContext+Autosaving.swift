extension ModelContext {
  /// A Boolean value that determines whether changes are saved automatically.
  ///
  /// It is `true` for a container's main context. All changes of one piece of synchronous work are
  /// saved together, after it: never within it, never within a ``transaction(block:)``, and not if
  /// nothing changed. The time depends on the isolation of the context:
  ///
  /// | the context | its changes are saved |
  /// |---|---|
  /// | of the main actor, or created by its code | at the main actor's next turn, and when the program returns from its main function or calls `exit` there |
  /// | of a ``ModelActor`` | at the actor's next turn |
  /// | of an actor that called ``enableAutosave(isolation:)`` | at the actor's next turn |
  /// | of any other code | before a later call of `insert`, `delete`, `fetch` or ``processPendingChanges()``, when they have waited for a second |
  ///
  /// Each of them also saves what is pending when it ends. A signal, a crash and an end of the
  /// program outside of the main actor save nothing.
  ///
  /// A failed save is posted as ``autosaveFailed`` and passed to ``onAutosaveFailure``; without
  /// that, a line is written to standard error. The changes stay pending, and are tried again at
  /// the next change. A context with autosave stays in the isolation in which it is first changed.
  public var autosaveEnabled: Bool {
    get { state.autosaveEnabled }
    set {
      state.autosaveEnabled = newValue
      if newValue, state.hasChanges { state.changeHappened() }
    }
  }

  /// Saves changes at the next turn of the calling actor from now on.
  ///
  /// ```swift
  /// actor Importer {
  ///   private let context: ModelContext
  ///
  ///   func start() { context.enableAutosave() }
  /// }
  /// ```
  ///
  /// Actors other than the main actor and a ``ModelActor`` need it, since a context cannot detect
  /// its own actor. Outside of any actor it is the same as ``autosaveEnabled``.
  ///
  /// - Parameter isolation: The actor that the context belongs to from now on.
  public func enableAutosave(isolation: isolated (any Actor)? = #isolation) {
    if let isolation { state.isolation = ContextIsolation(isolation) }
    autosaveEnabled = true
  }

  /// The function to call when an autosave failed; `nil` writes a line to standard error.
  ///
  /// It is called in the context's isolation, with the error that ``save()`` threw. The changes are
  /// still pending: fix what the error names, and the next change tries the save again.
  public var onAutosaveFailure: ((any Error) -> Void)? {
    get { state.autosave.onFailure }
    set { state.autosave.onFailure = newValue }
  }
}
