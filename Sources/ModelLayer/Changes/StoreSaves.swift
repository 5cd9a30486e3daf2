import StoreProtocol
import Synchronization

/// The saves to one store by the store's numbers.
///
/// They distinguish saves of a container from those of others: other processes, or other containers
/// of this one.
///
/// Each number is announced while it is locked: a context that finds it noted, and therefore nothing
/// new, has read rows of that save, and must find the save in the feed.
final class StoreSaves: Sendable {
  /// Whether a store is watched for saves of others.
  enum Watching {
    case off
    /// The store could not be watched yet.
    case awaited
    case on(any StoreWatch, FileEvents?)
  }

  /// A change of a store by others.
  enum Change {
    /// Saves, some of which are others'.
    case saves(ClosedRange<Int64>)
    /// Another file replaced the store's, or its own is back.
    case exchange
  }

  fileprivate struct State {
    /// The last save that the feed has an entry for, or `nil` before the first that was noticed.
    var last: Int64?
    /// Saves of others that are to be reported, unless saves of the container that are running turn
    /// out to be theirs.
    var unreported = RangeSet<Int64>()
    /// The number of saves of the container that are running.
    var runningCount = 0
    var watching = Watching.off
  }

  let store: any RecordStore
  private let state: Mutex<State>
  /// Whether another file had replaced the store's at the last check.
  private let isReplaced = Mutex(false)

  init(_ store: any RecordStore) {
    self.store = store
    state = Mutex(State(last: store.latestSave))
  }

  /// Announces saves, if the store has noticed any since the last call that no context of the
  /// container made.
  func notice(_ announce: () -> Void) {
    guard let latest = store.latestSave else { return }
    state.withLock { if $0.advance(to: latest) { announce() } }
  }

  /// Notes a save of the container, and announces it.
  ///
  /// - Parameters:
  ///   - save: The number of the save, or 0 if the store has no numbers.
  ///   - announce: Called with whether others have saved between the last save and this one.
  func note(_ save: Int64, _ announce: (_ hasOthers: Bool) -> Void) {
    guard save > 0 else { return announce(false) }
    state.withLock { state in
      let isNext = state.last.map { save <= $0 + 1 } ?? (store.latestSave == nil)
      _ = state.advance(to: save)
      if !state.unreported.isEmpty { state.unreported.remove(contentsOf: save..<save + 1) }
      announce(!isNext)
    }
  }

  /// Counts a save of the container that begins (1) or ends (-1), and returns whether saves wait to be
  /// reported.
  @discardableResult
  func countRunning(_ change: Int) -> Bool {
    state.withLock { state in
      state.runningCount += change
      return !state.unreported.isEmpty
    }
  }

  /// Whether the store is watched, or will be when that is possible.
  var isWatched: Bool {
    if case .off = state.withLock({ $0.watching }) { false } else { true }
  }

  /// Whether the store could not be watched yet.
  var awaitsWatch: Bool {
    if case .awaited = state.withLock({ $0.watching }) { true } else { false }
  }

  /// Begins to watch the store, or stops it.
  ///
  /// - Parameters:
  ///   - watching: The new state.
  ///   - isRetry: Whether to do so only if the store could not be watched yet.
  /// - Returns: Whether this has happened.
  @discardableResult
  func watch(_ watching: Watching, isRetry: Bool = false) -> Bool {
    state.withLock { state in
      if isRetry { guard case .awaited = state.watching else { return false } }
      state.watching = watching
      state.unreported = RangeSet()
      return true
    }
  }

  /// Returns the change by others since the last call, or `nil` if there is none, or the store is
  /// not watched.
  ///
  /// Saves are announced.
  func nextChange(_ announce: () -> Void) -> Change? {
    guard case .on(let watch, _) = state.withLock({ $0.watching }) else { return nil }
    return isReplaced.withLock { isReplaced in
      let new: ClosedRange<Int64>?
      do {
        new = try watch.newSaves()
      } catch {
        // If the check fails otherwise, the next one will tell.
        let wasReplaced = isReplaced
        let error = error as? DataStoreError
        isReplaced = isReplaced || error == .storeReplaced || error == .schemaMismatch
        return isReplaced == wasReplaced ? nil : .exchange
      }
      if isReplaced {
        isReplaced = false
        return .exchange
      }
      return state.withLock { state in
        guard let saves = state.takeUnreported(new) else { return nil }
        announce()
        return .saves(saves)
      }
    }
  }
}

extension StoreSaves.State {
  /// Moves to a save, and returns whether it is a later one than the last.
  fileprivate mutating func advance(to save: Int64) -> Bool {
    let first = last.map { $0 + 1 } ?? save
    guard first <= save else { return false }
    if case .on = watching { unreported.insert(contentsOf: first..<save + 1) }
    last = save
    return true
  }

  /// Returns and clears the saves to report, including new ones, when no save of the container can
  /// be one of them.
  fileprivate mutating func takeUnreported(_ new: ClosedRange<Int64>?) -> ClosedRange<Int64>? {
    guard case .on = watching else { return nil }
    if let new {
      let first = max(new.lowerBound, last.map { $0 + 1 } ?? new.lowerBound)
      if first <= new.upperBound { unreported.insert(contentsOf: first..<new.upperBound + 1) }
    }
    guard runningCount == 0, let first = unreported.ranges.first?.lowerBound,
      let end = unreported.ranges.last?.upperBound
    else { return nil }
    unreported = RangeSet()
    last = max(last ?? 0, end - 1)
    return first...end - 1
  }
}
