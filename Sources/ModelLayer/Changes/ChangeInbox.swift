import Synchronization

/// The saves of other contexts since an observing context last read them, and the users to signal.
///
/// It is filled on any thread that saves, and emptied in the isolation of the context. A result may
/// end on any thread; the box then stops listening to changes that no other result depends on.
final class ChangeInbox: Sendable {
  private struct State {
    var changes = SavedChanges()
    var entries: [ObjectIdentifier: Entry] = [:]
    /// The number of results that exclude unsaved changes, for which the context's own saves are
    /// changes.
    var ownSaves = 0
    var isTurnScheduled = false
    /// Whether results ended since the updater's last check.
    var hasEnded = false
    var turnScheduler: (@Sendable () -> Void)?
  }

  private struct Entry {
    let dependencies: QueryDependencies
    let wantsOwnSaves: Bool
    let signal: (@Sendable () -> Void)?
  }

  private let feed: SaveFeed
  private let state = Mutex(State())

  /// Creates an empty box that listens to nothing.
  init(_ feed: SaveFeed) {
    self.feed = feed
  }

  deinit {
    for entry in state.withLock({ $0.entries.values }) {
      feed.forget(entry.dependencies, of: ObjectIdentifier(self))
    }
  }

  /// Listens to the dependencies of a result, in place of its earlier ones.
  ///
  /// - Parameters:
  ///   - observer: The result's identity.
  ///   - dependencies: The result's dependencies.
  ///   - wantsOwnSaves: Whether the context's own saves are changes for it.
  ///   - signal: Called when changes concern the result, if not `nil`.
  func listen(
    for observer: ObjectIdentifier,
    to dependencies: QueryDependencies,
    wantsOwnSaves: Bool,
    signal: (@Sendable () -> Void)?
  ) {
    let entry = Entry(dependencies: dependencies, wantsOwnSaves: wantsOwnSaves, signal: signal)
    state.withLock { replace(observer, by: entry, &$0) }
  }

  /// Stops listening for a result.
  func end(_ observer: ObjectIdentifier) {
    state.withLock { state in
      replace(observer, by: nil, &state)
      state.hasEnded = true
    }
  }

  private func replace(_ observer: ObjectIdentifier, by entry: Entry?, _ state: inout State) {
    // Within the lock, so that two changes reach the feed in their order.
    if let entry {
      feed.listen(self, to: entry.dependencies)
      if entry.wantsOwnSaves { state.ownSaves += 1 }
    }
    if let old = state.entries[observer] {
      feed.forget(old.dependencies, of: ObjectIdentifier(self))
      if old.wantsOwnSaves { state.ownSaves -= 1 }
    }
    state.entries[observer] = entry
  }

  /// Whether a save of the context itself has changes for it.
  func wants(_ changes: SavedChanges) -> Bool {
    changes.affectsSavingContext || changes.isEverything || state.withLock { $0.ownSaves > 0 }
  }

  /// Sets the function that schedules the context's turn, or `nil` if its isolation cannot be
  /// re-entered.
  func setTurnScheduler(_ turnScheduler: (@Sendable () -> Void)?) {
    state.withLock { $0.turnScheduler = turnScheduler }
  }

  /// Adds changes, and signals the users that they concern.
  func put(_ changes: SavedChanges) {
    let (turnScheduler, signals) = state.withLock { state in
      state.changes.add(changes)
      defer { state.isTurnScheduled = true }
      let signals = state.entries.values.compactMap { entry in
        entry.signal.flatMap { entry.dependencies.concerns(changes) ? $0 : nil }
      }
      return (state.isTurnScheduled ? nil : state.turnScheduler, signals)
    }
    turnScheduler?()
    for signal in signals { signal() }
  }

  /// Returns whether results ended since the last call.
  func takeEnds() -> Bool {
    state.withLock { state in
      defer { state.hasEnded = false }
      return state.hasEnded
    }
  }

  /// Returns and clears the changes since the last call.
  func take() -> SavedChanges {
    state.withLock { state in
      defer {
        state.changes = SavedChanges()
        state.isTurnScheduled = false
      }
      return state.changes
    }
  }
}
