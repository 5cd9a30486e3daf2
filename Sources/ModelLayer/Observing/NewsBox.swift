import StoreProtocol
import Synchronization

/// What other contexts saved since an observing context last looked, and whom to wake for it.
///
/// It is filled on whatever thread saves, and emptied in the isolation of the context. An answer may
/// end on any thread; the box then stops to listen to what no other answer depends on.
final class NewsBox: Sendable {
  private struct State {
    var news = SavedChanges()
    var entries: [ObjectIdentifier: Entry] = [:]
    /// How many answers leave unsaved changes out, so that the context's own saves are news to them.
    var ownSaves = 0
    var isSummoned = false
    /// Whether answers ended since the keeper last asked.
    var hasEnded = false
    var summons: (@Sendable () -> Void)?
  }

  private struct Entry {
    let interest: Interest
    let wantsOwnSaves: Bool
    let signal: (@Sendable () -> Void)?
  }

  private let feed: ChangeFeed
  private let state = Mutex(State())

  /// Makes an empty box that listens to nothing.
  init(_ feed: ChangeFeed) {
    self.feed = feed
  }

  deinit {
    for entry in state.withLock({ $0.entries.values }) {
      feed.forget(entry.interest, of: ObjectIdentifier(self))
    }
  }

  /// Listens to what an answer depends on, instead of what it did before.
  ///
  /// - Parameters:
  ///   - answer: The answer's identity.
  ///   - interest: What the answer depends on.
  ///   - wantsOwnSaves: Whether the context's own saves are news to it.
  ///   - signal: What to call when changes concern the answer, if anything.
  func listen(
    for answer: ObjectIdentifier,
    to interest: Interest,
    wantsOwnSaves: Bool,
    signal: (@Sendable () -> Void)?
  ) {
    let entry = Entry(interest: interest, wantsOwnSaves: wantsOwnSaves, signal: signal)
    state.withLock { replace(answer, by: entry, &$0) }
  }

  /// Listens no more for an answer.
  func end(_ answer: ObjectIdentifier) {
    state.withLock { state in
      replace(answer, by: nil, &state)
      state.hasEnded = true
    }
  }

  private func replace(_ answer: ObjectIdentifier, by entry: Entry?, _ state: inout State) {
    // Within the lock, so that two changes reach the feed in their order.
    if let entry {
      feed.listen(self, to: entry.interest)
      if entry.wantsOwnSaves { state.ownSaves += 1 }
    }
    if let old = state.entries[answer] {
      feed.forget(old.interest, of: ObjectIdentifier(self))
      if old.wantsOwnSaves { state.ownSaves -= 1 }
    }
    state.entries[answer] = entry
  }

  /// Whether a save of the context itself is news to it.
  func wants(_ changes: SavedChanges) -> Bool {
    changes.isNewsToItsContext || changes.isEverything || state.withLock { $0.ownSaves > 0 }
  }

  /// Sets how the context is brought to look; nil where nothing can.
  func setSummons(_ summons: (@Sendable () -> Void)?) { state.withLock { $0.summons = summons } }

  /// Puts changes in, and wakes those whom they concern.
  func put(_ changes: SavedChanges) {
    let (summons, signals) = state.withLock { state in
      state.news.add(changes)
      defer { state.isSummoned = true }
      let signals = state.entries.values.compactMap { entry in
        entry.signal.flatMap { entry.interest.concerns(changes) ? $0 : nil }
      }
      return (state.isSummoned ? nil : state.summons, signals)
    }
    summons?()
    for signal in signals { signal() }
  }

  /// Returns whether answers ended since the last call.
  func takeEnds() -> Bool {
    state.withLock { state in
      defer { state.hasEnded = false }
      return state.hasEnded
    }
  }

  /// Takes out what came in since the last time.
  func take() -> SavedChanges {
    state.withLock { state in
      defer {
        state.news = SavedChanges()
        state.isSummoned = false
      }
      return state.news
    }
  }
}
